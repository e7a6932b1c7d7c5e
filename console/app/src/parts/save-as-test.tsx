import type { RunRecord } from '../api/types.generated.js';
import { Button } from './controls.js';
import { testOf } from './run-test.js';
import { saveText } from './save-text.js';

/** Saves a request and its answer as a test of the application, in the language of the Step. Nothing where no answer came. `file` is that of the Step. */
export function SaveAsTest({ of: { request, outcome }, file }: { readonly of: RunRecord; readonly file: string }) {
  if (request.kind !== 'http' || outcome.kind !== 'http') return null;
  const save = (): void => {
    const { name, text } = testOf({ request, outcome }, file);
    saveText(name, 'text/plain', text);
  };
  return <Button title="A file for the folder tests; treadle test runs it" onClick={save}>Save as test</Button>;
}
