"""Pure parts of triggers: schedules, webhook inputs and webhook signatures."""
