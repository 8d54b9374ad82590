"""Rules whose findings are reported by exports."""

from __future__ import annotations

from workflows.core.rules.kit import reported

REPORTED = reported("""
PP121 error Field is not in the target version
    The pack is exported for a version of the format that does not have this field yet. Where the
    format allows no other fields, tools for that version refuse the pack; elsewhere they ignore the
    field, and the finding is a warning. Export for a newer version, or remove the field.
PP122 error Value is not valid in the target version
    The pack is exported for a version of the format that has this field but accepts fewer values
    for it, or requires another field with it. Tools for that version refuse the pack. Export for a
    newer version, or change the value.
PP408 hint Agent cards without an address
    An agent card lists the addresses and protocols of an agent. A pack does not contain the
    address of its host, so the list is empty in the exported cards. The host must fill in
    `supportedInterfaces`.
PP409 warning Agent card without a description
    Other agents choose an agent by the description on its card. Neither the agent nor its prompt
    has one, so the card repeats the name. Describe the agent briefly.
PP410 warning Agent card without tags
    Registries and routers find an agent by the tags on its card, and A2A refuses a card without
    tags. Add one or more.
""")
