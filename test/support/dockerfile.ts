/** One instruction of a Dockerfile. */
export interface Instruction {
  /** e.g. `RUN`. */
  readonly name: string;
  /** What follows it, continued lines joined. */
  readonly text: string;
}

/** A stage: what it is called, what it is made from, and its instructions. */
export interface Stage {
  readonly name: string | undefined;
  readonly base: string;
  readonly instructions: readonly Instruction[];
}

/** The stages of a Dockerfile. @throws Error for what is no instruction that an image is made with */
export function parseDockerfile(text: string): readonly Stage[] {
  const stages: { name: string | undefined; base: string; instructions: Instruction[] }[] = [];
  for (const line of text.replace(/\\\n/g, ' ').split('\n')) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const [, name = '', rest = ''] = /^([A-Z]+) +(.+)$/.exec(line) ?? [];
    if (!KNOWN.has(name)) throw new Error(`no instruction: ${line}`);
    const [, base = '', stage] = /^(\S+)(?: AS (\S+))?$/.exec(rest) ?? [];
    if (name === 'FROM') stages.push({ name: stage, base, instructions: [] });
    else stages.at(-1)?.instructions.push({ name, text: rest });
  }
  return stages;
}

/** The words of the last `CMD` of a stage, or of its health check; both in the form of a list. */
export function commandOf(stage: Stage, name: 'CMD' | 'HEALTHCHECK' = 'CMD'): readonly string[] {
  const { text } = stage.instructions.filter((instruction) => instruction.name === name).at(-1) ?? { text: '[]' };
  return JSON.parse(text.slice(text.indexOf('['))) as string[];
}

const KNOWN = new Set(['FROM', 'WORKDIR', 'COPY', 'RUN', 'ENV', 'USER', 'VOLUME', 'EXPOSE', 'HEALTHCHECK', 'CMD']);
