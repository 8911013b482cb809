"""How BenchExec runs puch: `--tool-directory` says where it is, and this directory is on PYTHONPATH."""

import json

import benchexec.result as result
from benchexec.tools.template import BaseTool2


class Tool(BaseTool2):
    def executable(self, tool_locator):
        return tool_locator.find_executable("puch")

    def name(self):
        return "puch"

    def project_url(self):
        return "https://example.org/puch"

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="puch")

    def cmdline(self, executable, options, task, rlimits):
        limits = []
        if rlimits.walltime:
            limits += ["--timeout", str(rlimits.walltime)]
        if rlimits.memory:
            # A little less, so that puch can still say that it was too much.
            limits += ["--memory", str(rlimits.memory // 1_000_000 * 9 // 10)]
        model = task.options.get("data_model") if isinstance(task.options, dict) else None
        if model:
            limits += ["--data-model", model.lower()]
        if task.property_file and any(str(name).endswith((".c", ".i")) for name in task.input_files):
            limits += ["--property", task.property_file]
        elif task.property_file:
            # As SV-COMP calls its files: unreach-call.prp, termination.prp.
            limits.append("--termination" if "termination" in task.property_file.lower() else "--assertions")
        return [executable, "check", "--quiet", "--format", "json", "--trace", "any", *options, *limits, *task.input_files]

    def determine_result(self, run):
        try:
            answers = json.loads("".join(run.output))["results"]
        except (ValueError, KeyError):
            return result.RESULT_ERROR
        verdicts = {answer["verdict"] for answer in answers}
        if verdicts & {"violated", "reachable"}:
            return result.RESULT_FALSE_PROP
        if "unknown" in verdicts:
            reasons = {answer.get("reason_kind") for answer in answers}
            return "TIMEOUT" if "timeout" in reasons else result.RESULT_UNKNOWN
        return result.RESULT_TRUE_PROP
