from django.db import migrations, models

DEFAULTS = {
    "anthropic": {
        "opus": "claude-opus-5-5",
        "sonnet": "claude-sonnet-5-5",
        "haiku": "claude-haiku-5-5",
    },
    "openai": {"opus": "gpt-6-astra", "sonnet": "gpt-6.1-sol", "haiku": "gpt-6-luna"},
    "google": {
        "opus": "gemini-4-argon",
        "sonnet": "gemini-3.8-flash",
        "haiku": "gemini-3.5-flash-lite",
    },
    "compatible": {"opus": "", "sonnet": "", "haiku": ""},
}


def fill(apps, schema_editor):
    """Old connections get the models of their provider."""
    connection = apps.get_model("workflows", "Connection")
    for kind, names in DEFAULTS.items():
        connection.objects.filter(kind=kind).update(model_names=names)


class Migration(migrations.Migration):
    dependencies = [("workflows", "0016_mcp_servers")]

    operations = [
        migrations.AddField(
            model_name="connection",
            name="model_names",
            field=models.JSONField(default=dict),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
