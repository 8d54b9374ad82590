import django.db.models.deletion
from django.apps.registry import Apps
from django.conf import settings
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def find_authors(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    """The author is the user of the last entry in the audit log, or the only user of the server. A
    command without one is left to people until a user binds it again."""
    users = apps.get_model("auth", "User").objects
    entries = apps.get_model("workflows", "AuditEntry").objects
    alone = users.get().pk if users.count() == 1 else None
    for row in apps.get_model("workflows", "ToolBinding").objects.all():
        path = f"/api/v1/packs/{row.pack_id}/tools/{row.tool}/"[:400]
        made = entries.filter(operation="packs_tool_bind", outcome="done", path=path)
        last = made.order_by("-at", "-pk").first()
        row.author_id = last.user_id if last else alone
        row.save(update_fields=["author"])


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("workflows", "0040_installation"),
    ]

    operations = [
        migrations.AddField(
            model_name="toolbinding",
            name="author",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.RunPython(find_authors, migrations.RunPython.noop),
    ]
