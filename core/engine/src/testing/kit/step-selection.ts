import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { discoverStepFiles, isStepFile, roleOfFile } from '@treadle/worker/discover';
import type { Step } from 'treadle';

/** The Steps that a test engine runs. */
export interface ChosenSteps {
  /** Where they are. */
  readonly root: string;
  readonly chosen: (file: string) => boolean;
  readonly inline: ReadonlyMap<string, Step>;
  /** Step files of other languages. */
  readonly notServed: readonly string[];
}

/** Which files are Steps of a language. */
export interface StepFilter {
  readonly isStep: (file: string) => boolean;
  /** Files of the application that are of another language. */
  readonly onNotServed: (root: string, files: readonly string[]) => void;
}

/** Where a selection is made. */
interface SelectionContext {
  readonly scratch: string;
  readonly language: StepFilter;
}

type Wanted = readonly string[] | readonly Step[] | undefined;

/**
 * Files and folders of the application, or Steps that are given as they are; these stand in an application of their own.
 * @throws an `Error` when a name leads to no Step file
 */
export async function chooseSteps(root: string, wanted: Wanted, { scratch, language }: SelectionContext): Promise<ChosenSteps> {
  if (isInline(wanted)) return inlineSteps(wanted, scratch);
  const files = (await discoverStepFiles(root)).map(({ file }) => file);
  const names = wanted?.map((name) => name.replaceAll('\\', '/').replace(/^\.\//, '').replace(/\/$/, ''));
  for (const name of names ?? []) refuseUnknown(name, files, root);
  const chosen = (file: string): boolean => !names || isDeclaration(file) || names.some((name) => isWithin(file, name));
  const notServed = files.filter((file) => chosen(file) && !language.isStep(file));
  if (notServed.length > 0) language.onNotServed(root, notServed);
  return { root, chosen, inline: new Map(), notServed };
}

async function inlineSteps(steps: readonly Step[], scratch: string): Promise<ChosenSteps> {
  const root = join(scratch, 'application');
  await mkdir(join(root, 'steps'), { recursive: true });
  const inline = new Map(steps.map((step, index) => [`steps/given-${index + 1}.step.js`, step]));
  for (const [file, step] of inline) {
    if (typeof (step as Partial<Step> | undefined)?.handler !== 'function') throw new Error(`"steps" takes file names, or what step() gives; got ${typeof step}`);
    await writeFile(join(root, file), '// stands for a Step that the test gave\n');
  }
  return { root, chosen: () => true, inline, notServed: [] };
}

function isInline(wanted: Wanted): wanted is readonly Step[] {
  return wanted !== undefined && wanted.length > 0 && typeof wanted[0] !== 'string';
}

function isWithin(file: string, name: string): boolean {
  return file === name || file.startsWith(`${name}/`);
}

/** Steps write to streams and run behind middleware: declarations belong to every selection. */
function isDeclaration(file: string): boolean {
  return isStepFile(file) && roleOfFile(file) !== 'step';
}

function refuseUnknown(name: string, files: readonly string[], root: string): void {
  if (files.some((file) => isWithin(file, name))) return;
  throw new Error(`"${name}" is no Step file or folder of ${root}; there are ${files.join(', ') || 'none in "steps" and "src"'}`);
}
