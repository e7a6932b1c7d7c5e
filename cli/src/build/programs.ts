import { BUILD_PROGRAMS } from '@treadle/protocol/build-lock';

/** Readable by every Node there is, as a module and as CommonJS. */
export const NODE_PROGRAM = `// Made by "treadle build": do not edit. The Step process of this build, to be run by Node 18.0 or later:
//   ENGINE_URL=ws://engine:3110 ENGINE_TOKEN=... node dist/${BUILD_PROGRAMS.node}
if (Number(process.versions.node.split('.')[0]) < 18) {
  process.stderr.write('index-production: this build needs Node 18.0 or later; this is ' + process.version + '\\n');
  process.exit(69);
}
import('./worker/main.js').catch(function (error) {
  process.stderr.write('index-production: ' + (error && error.stack || error) + '\\n');
  process.exit(70);
});
`;

/** Older ones than 3.10 can read it, too. */
export const PYTHON_PROGRAM = `# Made by "treadle build": do not edit. The Python Step process of this build, to be run by Python 3.10 or later:
#   ENGINE_URL=ws://engine:3110 ENGINE_TOKEN=... python dist/${BUILD_PROGRAMS.python}
import os
import sys

if sys.version_info < (3, 10):
    sys.exit("index_production: this build needs Python 3.10 or later; this is %s" % sys.version.split()[0])

_DIST = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(_DIST, "python"))

from treadle.worker.production import main  # noqa: E402

if __name__ == "__main__":
    main(_DIST)
`;
