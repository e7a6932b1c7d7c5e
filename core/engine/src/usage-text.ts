/** One line that says how the command is called. */
export const USAGE_LINE = 'usage: treadle-engine [--config <file>] [--check | --print-config | --watch | --version | --help]';

/** What `--help` prints. */
export const HELP_TEXT = `Runs a Treadle engine composed from YAML.

${USAGE_LINE}

  -c, --config <file>  configuration to run; without it the built-in default configuration
      --check          validate the configuration, print every error and warning, and exit
      --print-config   print the effective configuration with the origin of each value, and exit
      --watch          reload the configuration when its file changes
  -v, --version        print the version and exit
  -h, --help           print this text and exit

Signals: SIGTERM and SIGINT drain and stop, a second one exits at once; SIGHUP reloads the configuration.
Environment: LOG_LEVEL debug|info|warn|error, LOG_FORMAT json|text, and what the configuration names.
Exit codes: 0 clean stop; 64 bad usage; 69 something needed is unavailable; 70 internal error; 74 storage error;
            78 bad configuration; 128 + n after a second signal n.
`;
