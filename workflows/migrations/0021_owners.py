import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models



def give_owners(apps, schema_editor):
    """One user owns what was there. With several, it stays everybody's, as it was before; triggers
    keep the user that their runs are started as."""
    app, model = settings.AUTH_USER_MODEL.split(".")
    users = list(apps.get_model(app, model).objects.values_list("pk", flat=True)[:2])
    of = {name: apps.get_model("workflows", name).objects for name in (
        "Pack", "Connection", "RoleTemplate", "McpServer", "Trigger"
    )}  # fmt: skip
    if len(users) == 1:
        of["Pack"].filter(owner=None, sample="").update(owner=users[0])
        for name in ("Connection", "RoleTemplate", "McpServer", "Trigger"):
            of[name].filter(owner=None).update(owner=users[0])
    elif users:
        of["Pack"].update(owner=None)


def _owner():
    return models.ForeignKey(
        null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL
    )


class Migration(migrations.Migration):
    dependencies = [
        ("workflows", "0019_links_of_the_terminal"),
        ("contenttypes", "0002_remove_content_type_name"),
        ("guardian", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField("connection", "owner", _owner()),
        migrations.AddField("roletemplate", "owner", _owner()),
        migrations.AddField("mcpserver", "owner", _owner()),
        migrations.RemoveConstraint("connection", "one_default_connection"),
        migrations.AddConstraint(
            "connection",
            models.UniqueConstraint(
                condition=models.Q(("default", True), ("owner", None)),
                fields=("default",),
                name="one_default_connection",
            ),
        ),
        migrations.AddConstraint(
            "connection",
            models.UniqueConstraint(
                condition=models.Q(("default", True)),
                fields=("owner",),
                name="one_default_connection_per_owner",
            ),
        ),
        migrations.RunPython(give_owners, migrations.RunPython.noop, elidable=False),
    ]
