// Writes docs/errors.md from the table of error codes.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../architecture/workspace.js';
import { errorReference } from '../docs/error-reference.js';

writeFileSync(join(ROOT, 'docs/errors.md'), errorReference());
