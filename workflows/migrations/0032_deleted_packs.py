"""Packs whose files were deleted in an opened folder."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("workflows", "0031_run_trials")]

    operations = [
        migrations.AddField(
            model_name="pack", name="deleted", field=models.BooleanField(default=False)
        ),
    ]
