import type { StepRecord } from '@treadle/api';
import { didYouMean, type Finding, type StepWarning } from './finding.js';
import { nearestTopic } from './nearest-topic.js';

/**
 * Triggers on streams that no file declares: nobody can write to these, so such a trigger never fires. `known` are all Steps and
 * declarations, also disabled ones; one whose name cannot be read may be the stream that is meant, so nothing is said then.
 */
export function checkStreams(steps: readonly StepRecord[], known: readonly StepRecord[]): readonly StepWarning[] {
  const declarations = known.filter(({ role }) => role === 'stream');
  const declared = declarations.map(({ config }) => config.triggers[0]?.['streamName']).filter((name) => typeof name === 'string');
  if (declared.length < declarations.length) return [];
  return steps.flatMap((step) => step.config.triggers.flatMap(({ type, streamName }, index) =>
    (type === 'stream' && typeof streamName === 'string' && !declared.includes(streamName) ? [{ step, finding: notDeclared(streamName, index, declared) }] : [])));
}

function notDeclared(name: string, index: number, declared: readonly string[]): Finding {
  return {
    code: 'STEP_STREAM_NOT_DECLARED', severity: 'warning',
    message: `config.triggers[${index}].streamName: no file declares stream "${name}", so the trigger never fires`,
    remedy: didYouMean(nearestTopic(name, [], declared), `declare "${name}" in a *.stream.ts, *.stream.js or *_stream.py file`),
  };
}
