"""A workflow without a dialect: the features that promptpack, steps registry and stages share.

A dialect's converter reads its files into a `Machine` and writes files from one. Features of only
one dialect are not part of it; the coverage report records them as dropped. A field is None if the
dialect leaves it to a rule of the format: other dialects then apply their own rules.
"""

from workflows.core.convert.neutral.answers import *
from workflows.core.convert.neutral.machine import *
from workflows.core.convert.neutral.names import *
from workflows.core.convert.neutral.texts import *
