"""Settings for all tests: how many worlds Hypothesis makes up, and that a slow machine is no failure."""

import os

from hypothesis import HealthCheck, settings

_PATIENT = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}

settings.register_profile("ci", derandomize=True, max_examples=100, **_PATIENT)
settings.register_profile("soak", max_examples=2000, print_blob=True, **_PATIENT)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
