import type { StateAdapter } from '@treadle/api';
import { startAdapter } from '../adapter-harness.js';
import { killOptions, report } from '../suite/killed-process.js';

/* Started by durability-tests.ts: writes until it is killed. */

const options = killOptions();
const { adapter } = await startAdapter<StateAdapter>(options);
for (let count = 1; ; count++) {
  await adapter.write({ group: `round ${options.round}`, key: `${count}`, next: () => ({ action: 'set', value: { count } }), recordChange: false });
  await adapter.write({
    group: 'counters', key: `${options.round}`, recordChange: false,
    next: (current) => ({ action: 'set', value: ((current?.value as number | undefined) ?? 0) + 1 }),
  });
  report(`${count}`);
}
