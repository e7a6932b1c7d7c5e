import type { Diagnostic } from '@treadle/api';
import type { Overlooked } from '@treadle/worker/overlooked';

/** A warning for each file or link that looks like a part of the application and is none. */
export function overlookedFiles(found: readonly Overlooked[]): readonly Diagnostic[] {
  return found.map(({ file, kind, meant }) => (kind === 'link'
    ? warning(file, 'links to folders are not followed, so nothing in it counts', 'put the folder itself here, or link each file')
    : warning(file, 'the file looks like a Step or a stream, but its name is not one of theirs, so it is left out', `call it ${meant}`)));
}

function warning(file: string, message: string, remedy: string): Diagnostic {
  return { severity: 'warning', code: 'STEP_FILE_OVERLOOKED', file, message, remedy };
}
