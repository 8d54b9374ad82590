import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("workflows", "0011_events_one_index"),
    ]

    operations = [
        migrations.CreateModel(
            name="ModelChoice",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("state", models.TextField(blank=True)),
                ("connection", models.CharField(blank=True, max_length=100)),
                ("model", models.CharField(blank=True, max_length=200)),
            ],
        ),
        migrations.AddField(
            model_name="connection",
            name="default",
            field=models.BooleanField(default=False),
        ),
        migrations.AddConstraint(
            model_name="connection",
            constraint=models.UniqueConstraint(
                condition=models.Q(("default", True)),
                fields=("default",),
                name="one_default_connection",
            ),
        ),
        migrations.AddField(
            model_name="modelchoice",
            name="pack",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="model_choices",
                to="workflows.pack",
            ),
        ),
        migrations.AddConstraint(
            model_name="modelchoice",
            constraint=models.UniqueConstraint(
                fields=("pack", "state"), name="one_model_choice_per_state"
            ),
        ),
    ]
