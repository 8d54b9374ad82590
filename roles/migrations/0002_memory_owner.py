import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def give_owners(apps, schema_editor):
    """One user owns the shared facts that were there. With several, they stay everybody's."""
    app, model = settings.AUTH_USER_MODEL.split(".")
    users = list(apps.get_model(app, model).objects.values_list("pk", flat=True)[:2])
    if len(users) == 1:
        shared = apps.get_model("roles", "Memory").objects.filter(role=None)
        shared.update(owner=users[0])


class Migration(migrations.Migration):
    dependencies = [
        ("roles", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            "memory",
            "owner",
            models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.RunPython(give_owners, migrations.RunPython.noop),
    ]
