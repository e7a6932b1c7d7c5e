// Reads a history and gives the verdict: node analysis.mjs history.jsonl. Prints one JSON object.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Faults } from './faults.mjs';
import { KeyOrder } from './key-order.mjs';
import { percentile } from './percentile.mjs';

const EXAMPLES = 5;

/** Everything that is known of a message that a producer sent. */
function message(event) {
  return { lane: event.lane, outcome: 'unknown', stages: new Map(), inTail: false };
}

const messages = new Map();
const runs = new Map();
const faults = new Faults();
const order = new KeyOrder();
const counts = { attempted: 0, acknowledged: 0, refused: 0, unknown: 0, executions: 0, failed: 0, unexpected: 0, staleEffects: 0, refusedStale: 0 };
const tail = { on: false, attempted: 0, acknowledged: 0 };
const examples = { lost: [], unexpected: [], uncaused: [] };
let recovered = 0;

const on = {
  attempted: (event) => {
    counts.attempted++;
    const one = message(event);
    one.inTail = tail.on;
    if (tail.on) tail.attempted++;
    messages.set(event.id, Object.assign(one, pendingOf(event.id)));
  },
  acknowledged: ({ id }) => {
    counts.acknowledged++;
    const one = messages.get(id);
    if (!one) return;
    one.outcome = 'acknowledged';
    if (one.inTail) tail.acknowledged++;
  },
  refused: ({ id }) => {
    counts.refused++;
    setOutcome(id, 'refused');
  },
  unknown: ({ id }) => {
    counts.unknown++;
    setOutcome(id, 'unknown');
  },
  began: (event) => began(event),
  ended: (event) => over(event, true),
  /** The handler threw: it is to run again. */
  failed: (event) => {
    counts.failed++;
    over(event, false);
  },
  effect: (event) => effect(event),
  refusedStale: () => { counts.refusedStale++; },
  killing: (event) => {
    faults.killing(event);
    order.killing(event);
  },
  killed: (event) => {
    faults.killed(event);
    order.killed(event);
  },
  started: (event) => faults.started(event),
  looking: (event) => faults.looking(event),
  tail: () => { tail.on = true; },
};

/** A handler may report before the producer's own line has come over another connection. */
const early = new Map();
function pendingOf(id) {
  const stages = early.get(id);
  early.delete(id);
  return stages ? { stages } : {};
}

function setOutcome(id, outcome) {
  const one = messages.get(id);
  if (one) one.outcome = outcome;
}

function stagesOf(id) {
  const known = messages.get(id);
  if (known) return known.stages;
  if (!early.has(id)) early.set(id, new Map());
  return early.get(id);
}

function began(event) {
  counts.executions++;
  const stages = stagesOf(event.id);
  const stage = stages.get(event.stage) ?? { runs: [], finished: false };
  stages.set(event.stage, stage);
  const previous = stage.runs.at(-1);
  const run = { ...event, endedAt: undefined };
  stage.runs.push(run.run);
  runs.set(event.run, run);
  if (previous !== undefined && !faults.rebegan(runs.get(previous), event)) remember(examples.uncaused, event);
  faults.began(run);
  order.began(event);
}

function over({ run: id, at }, finished) {
  const run = runs.get(id);
  if (!run) return;
  run.endedAt = at;
  run.finished = finished;
  const stage = stagesOf(run.id).get(run.stage);
  if (stage && finished) stage.finished = true;
  faults.ended(run);
  order.ended(run);
}

/** Something that a run did and that was accepted, although a later run of the same message had begun. */
function effect({ run: id }) {
  const run = runs.get(id);
  if (!run) return;
  const latest = stagesOf(run.id).get(run.stage)?.runs.at(-1);
  if (latest !== id) counts.staleEffects++;
}

function remember(list, what) {
  list.count = (list.count ?? 0) + 1;
  if (list.length < EXAMPLES) list.push(what);
}

/** Every stage of the lane has to have been run to its end. */
const STAGES = { ordered: ['ordered'], chain: ['one', 'two', 'three'], slow: ['slow'] };

function verdict() {
  let executed = 0;
  for (const [id, one] of messages) {
    const done = (STAGES[one.lane] ?? []).every((stage) => one.stages.get(stage)?.finished);
    if (done) executed++;
    if (done && one.outcome === 'unknown') recovered++;
    if (done && one.outcome === 'refused') remember(examples.unexpected, { id, why: 'was refused and ran' });
    if (!done && one.outcome === 'acknowledged') remember(examples.lost, { id, lane: one.lane, began: [...one.stages.keys()] });
  }
  for (const id of early.keys()) remember(examples.unexpected, { id, why: 'nobody sent it' });
  return {
    ...counts, executed, recovered, lost: examples.lost.count ?? 0, unexpected: examples.unexpected.count ?? 0,
    ...faults.report(), duplicatedWithoutCause: examples.uncaused.count ?? 0, ...order.report(),
    tailAttempted: tail.attempted, tailAcknowledged: tail.acknowledged,
    examples: { ...examples, order: order.examples },
  };
}

for await (const line of createInterface({ input: createReadStream(process.argv[2] ?? '') })) {
  const event = JSON.parse(line);
  on[event.type]?.(event);
}
const report = verdict();
report.latencies = { redelivery: percentile(report.redeliveryMs), firstDelivery: percentile(report.firstDeliveryMs) };
delete report.redeliveryMs;
delete report.firstDeliveryMs;
process.stdout.write(`${JSON.stringify(report)}\n`);
