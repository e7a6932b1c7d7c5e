import type { StreamAdapter } from '@treadle/api';
import { startAdapter } from '../adapter-harness.js';
import { killOptions, report } from '../suite/killed-process.js';

/* Started by durability-tests.ts: writes until it is killed. */

const options = killOptions();
const group = { stream: 's', groupId: 'g' };
const { adapter } = await startAdapter<StreamAdapter>(options);
let position = { epoch: '', seq: 0 };
adapter.watch(({ epoch, seq }) => { position = { epoch, seq }; });
for (let count = 1; ; count++) {
  await adapter.write({ ...group, id: `${options.round}.${count}`, next: () => ({ action: 'set', value: { count } }) });
  await adapter.send(group, { type: 'e', data: count });
  report(JSON.stringify(position));
}
