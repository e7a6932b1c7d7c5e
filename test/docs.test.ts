import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { formatError } from '@treadle/api';
import { BUILTIN_PLUGINS, ENGINE_VERSION } from '@treadle/engine';
import { planEngine } from '@treadle/kernel';
import { expect } from 'chai';
import ts from 'typescript';
import { ROOT, workspacePackages } from './architecture/workspace.js';
import { errorReference, undocumentedCodes } from './docs/error-reference.js';
import { documents, fencesOf, linksOf, type Fence } from './docs/markdown.js';
import { tempApplication } from './support/temp-folder.js';

describe('documentation', function () {
  this.timeout(60_000);
  const fences = documents().flatMap((file) => fencesOf(file));

  it('explains every error code', () => {
    expect(undocumentedCodes()).to.deep.equal([]);
  });

  it('has an error reference that was generated from the table of codes', () => {
    expect(readFileSync(join(ROOT, 'docs/errors.md'), 'utf8'), 'run "npm run docs:errors"').to.equal(errorReference());
  });

  it('explains every code of a diagnostic', () => {
    const sources = workspacePackages().flatMap((found) => found.sources).map((file) => readFileSync(join(ROOT, file), 'utf8')).join('\n');
    const codes = new Set(sources.match(/(?<=')STEP_[A-Z_]+(?=')/g));
    expect(codes.size).to.be.greaterThan(20);
    const text = readFileSync(join(ROOT, 'docs/steps.md'), 'utf8');
    expect([...codes].filter((code) => !text.includes(`\`${code}\``))).to.deep.equal([]);
  });

  it('links to what exists', () => {
    const dead = documents().flatMap((file) => linksOf(file)
      .filter((target) => !existsSync(join(ROOT, dirname(file), target))).map((target) => `${file}: ${target}`));
    expect(dead).to.deep.equal([]);
  });

  it('describes the architecture by files that exist', () => {
    const text = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
    const paths = [...text.matchAll(/`((?:core|modules|plugins|config|cli|console|test)\/[\w./-]+)`/g)].map((match) => match[1] ?? '');
    expect(paths.length).to.be.greaterThan(60);
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).to.deep.equal([]);
  });

  it('shows configurations that an engine accepts', async () => {
    const configurations = fences.filter((fence) => fence.language === 'yaml' && /^(modules|engine|plugins):/m.test(fence.text));
    expect(configurations.length).to.be.greaterThan(3);
    const faults: string[] = [];
    for (const fence of configurations) faults.push(...(await configurationFaults(fence)));
    expect(faults).to.deep.equal([]);
  });

  it('shows Steps and modules that compile', () => {
    // The files of the tutorial, and those of the package in the guide to plugins, need others: commands that these pages show compile them together.
    const examples = fences.filter(({ file, language, name }) => language === 'ts' && /^(README|docs\/(?!tutorial))/.test(file)
      && !(file === 'docs/plugin-guide.md' && name.startsWith('src/')));
    expect(examples.length).to.be.greaterThan(5);
    expect(compileFaults(examples)).to.deep.equal([]);
  });
});

async function configurationFaults(fence: Fence): Promise<string[]> {
  // The folders that the examples serve files from.
  const cwd = tempApplication({ 'config.yaml': fence.text, 'public/index.html': '' });
  const { errors, warnings } = await planEngine({
    configFile: 'config.yaml', cwd, env: {}, builtins: BUILTIN_PLUGINS, engineVersion: ENGINE_VERSION,
  });
  return [...errors, ...warnings].map((error) => `${fence.file}:${fence.line}: ${formatError(error)}`);
}

/** Where a named file of a guide goes; undefined for one without a name, or of which the guide shows another form first. */
function placeOf(fence: Fence, all: readonly Fence[]): string | undefined {
  const first = all.find(({ file, name }) => file === fence.file && name === fence.name);
  return /^\w+\/[\w.-]+\.ts$/.test(fence.name) && first === fence ? join(fence.file.replace('.md', ''), fence.name) : undefined;
}

function compileFaults(examples: readonly Fence[]): string[] {
  const folder = tempApplication({});
  // Files of one guide lie beside each other, for they may import one another.
  const files = examples.map((fence, index) => ({ fence, path: join(folder, placeOf(fence, examples) ?? `example-${index}.ts`) }));
  for (const { fence, path } of files) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, fence.text);
  }
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true, noEmit: true, skipLibCheck: true, experimentalDecorators: true, types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')],
  };
  const program = ts.createProgram(files.map(({ path }) => path), options);
  return ts.getPreEmitDiagnostics(program).map((diagnostic) => {
    const source = files.find(({ path }) => path === diagnostic.file?.fileName)?.fence;
    const line = diagnostic.file?.getLineAndCharacterOfPosition(diagnostic.start ?? 0).line ?? 0;
    return `${source?.file ?? diagnostic.file?.fileName}:${(source?.line ?? 0) + line + 1}: ${ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n')}`;
  });
}
