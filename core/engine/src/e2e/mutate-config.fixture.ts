const NASTY = [
  '${', '${}', '${NOT_SET}', '${PATH}', '${A:${B}}', '$${X}', '${PORT:0x10}', '&a [*a]', '&a', '*a', '<<: *a', '!!js/function x', '!!binary x',
  '__proto__: 1', 'constructor: {}', '1e999', '-0', '.nan', '9007199254740993', '0o777', '~', 'null', '[]', '{}', '""', '- ', '? ', ': ', '|',
  '>', '#', '\t', '\u0000', '\u0007', '\ufeff', '\ud83d\ude00', '\u202e', '---\n', '...\n', '%YAML 9.9\n', 'modules::', 'modules::x::adapters::Y',
  'a'.repeat(5000), '['.repeat(300), '- '.repeat(300), '{a: '.repeat(200),
];

type Random = () => number;
type Mutation = (text: string, random: Random) => string;

const pick = <T>(list: readonly T[], random: Random): T => list[Math.floor(random() * list.length)] as T;
const place = (text: string, random: Random): number => Math.floor(random() * (text.length + 1));

function onLines(change: (lines: string[], at: number, random: Random) => void): Mutation {
  return (text, random) => {
    const lines = text.split('\n');
    change(lines, Math.floor(random() * lines.length), random);
    return lines.join('\n');
  };
}

const MUTATIONS: readonly Mutation[] = [
  (text, random) => { const at = place(text, random); return text.slice(0, at) + pick(NASTY, random) + text.slice(at); },
  (text, random) => { const at = place(text, random); return text.slice(0, at) + text.slice(at + 1 + Math.floor(random() * 8)); },
  (text, random) => text.slice(0, place(text, random)),
  (text, random) => {
    const at = place(text, random);
    return text.slice(0, at) + String.fromCharCode(Math.floor(random() * 256)) + text.slice(at + 1);
  },
  (text, random) => text.replace(/(?<=: )\S.*$/gm, (value) => (random() < 0.15 ? pick(NASTY, random) : value)),
  (text, random) => text.replace(/\w{3,}/g, (word) => (random() < 0.05 ? word.slice(1) : word)),
  onLines((lines, at) => lines.splice(at, 0, lines[at] ?? '')),
  onLines((lines, at) => lines.splice(at, 1)),
  onLines((lines, at, random) => { lines[at] = ' '.repeat(Math.floor(random() * 6)) + (lines[at] ?? '').trimStart(); }),
  onLines((lines, at, random) => lines.splice(at, 0, lines.splice(Math.floor(random() * lines.length), 1)[0] ?? '')),
  onLines((lines, at, random) => { lines[at] = `${lines[at] ?? ''} ${pick(NASTY, random)}`; }),
];

/** The text with one to four random faults. */
export function mutate(text: string, random: Random): string {
  let mutated = text;
  for (let left = 1 + Math.floor(random() * 4); left > 0; left--) mutated = pick(MUTATIONS, random)(mutated, random);
  return mutated;
}
