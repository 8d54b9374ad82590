from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("workflows", "0043_proposals")]

    operations = [
        migrations.AlterField(
            model_name="approval",
            name="status",
            field=models.CharField(
                choices=[
                    ("open", "Open"),
                    ("approved", "Approved"),
                    ("denied", "Denied"),
                    ("answered", "Answered"),
                    ("withdrawn", "Withdrawn"),
                ],
                db_default="open",
                default="open",
                max_length=10,
            ),
        ),
        migrations.RunSQL(
            "UPDATE workflows_approval SET status = 'answered'"
            " WHERE status = 'approved' AND kind IN ('event', 'answer', 'model')",
            "UPDATE workflows_approval SET status = 'approved' WHERE status = 'answered'",
        ),
    ]
