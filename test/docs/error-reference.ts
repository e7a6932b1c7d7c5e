import { ERRORS, EXIT, formatError, treadleError, type ErrorCode, type ErrorParams } from '@treadle/api';
import { CONFIG_SAMPLES, MODULE_SAMPLES, PLUGIN_SAMPLES, RUNTIME_SAMPLES, type ErrorSample } from './error-samples.js';

const SECTIONS = {
  Configuration: CONFIG_SAMPLES, 'Plugins and classes': PLUGIN_SAMPLES, 'Modules and their composition': MODULE_SAMPLES, Surroundings: RUNTIME_SAMPLES,
};

const HEAD = `<!-- Generated from core/api/src/error-codes.ts by "npm run docs:errors": do not edit. -->
# Error codes

Everything that can keep an engine from starting has a code, a text that names the culprit, and a hint where there is
something to do. All errors of a configuration come at once, one per line:

\`\`\`text
config.yaml:5:7  error  CONFIG_UNKNOWN_KEY  modules[0].config.hosst: modules::http::HttpModule has no setting "hosst"
    hint: did you mean "host"?
\`\`\`

A code is never given another meaning. What HTTP clients get is in [http.md](http.md#errors).

| exit code | meaning |
|---:|---|
| 0 | clean stop |
| ${EXIT.notFound} | a running engine does not have what was asked for |
| ${EXIT.usage} | bad usage |
| ${EXIT.application} | faulty application (\`treadle check\`) |
| ${EXIT.unavailable} | something needed is not available: a port, a service, the engine package, the data of another engine |
| ${EXIT.internal} | internal error, or a module failed without a better code |
| ${EXIT.io} | storage I/O error |
| ${EXIT.config} | bad configuration |
| 128 + n | a second signal n ended the engine at once |
`;

/** Codes that the reference does not explain yet. */
export function undocumentedCodes(): readonly string[] {
  const documented = new Set(Object.values(SECTIONS).flatMap((samples) => Object.keys(samples)));
  return Object.keys(ERRORS).filter((code) => !documented.has(code));
}

/** The text of docs/errors.md. */
export function errorReference(): string {
  const sections = Object.entries(SECTIONS).map(([title, samples]) => {
    const entries = Object.entries(samples).map(([code, sample]) => entryOf(code as ErrorCode, sample as ErrorSample<ErrorCode>));
    return `## ${title}\n\n${entries.join('\n')}`;
  });
  return [HEAD, ...sections].join('\n');
}

function entryOf<C extends ErrorCode>(code: C, sample: ErrorSample<C>): string {
  const error = treadleError(code, sample.params as ErrorParams<C>);
  const effect = error.severity === 'warning' ? 'warning' : `exit code ${error.exitCode}`;
  return `### ${code}\n\nWhen ${sample.when} (${effect}).\n\n\`\`\`text\n${formatError(error)}\n\`\`\`\n`;
}
