from django.db import migrations, models


def give_every_scope(apps, schema_editor):
    """Tokens made before scopes existed keep the rights of their user."""
    apps.get_model("workflows", "Token").objects.update(scopes=["read", "edit", "run", "admin"])


class Migration(migrations.Migration):
    dependencies = [("workflows", "0017_connection_model_names")]

    operations = [
        migrations.AddField(
            model_name="token",
            name="scopes",
            field=models.JSONField(default=list),
        ),
        migrations.AddField(
            model_name="token",
            name="last_used_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.RunPython(give_every_scope, migrations.RunPython.noop),
    ]
