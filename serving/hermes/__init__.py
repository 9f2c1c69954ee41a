"""hermes-agent's door: a memory provider that runs inside the agent, with no server between.

The agent loads plugins from folders of its own, so what is installed there is a thin shim (`plugin/`); everything else is here.
Nothing in this package imports hermes-agent: the shim joins the two.
"""
