import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, relative } from 'node:path';
import { expect } from 'chai';
import ts from 'typescript';
import { findCycle } from './architecture/cycles.js';
import { floorOf } from './architecture/floors.js';
import { importsOf, parseSource, place, targetOf, type SourceImport } from './architecture/source-imports.js';
import { ROOT, filesBelow, workspacePackages, type Manifest, type WorkspacePackage } from './architecture/workspace.js';

const PRESCRIBED = [
  'CHANGELOG.md', 'CONTRIBUTING.md', 'LICENSE', 'README.md', 'SECURITY.md', 'cli', 'config', 'console', 'core', 'docs', 'lerna.json', 'modules', 'package-lock.json',
  'package.json', 'plugins', 'test', 'tsconfig.json',
];

describe('architecture', () => {
  const packages = workspacePackages();
  const names = new Set(packages.map((p) => p.manifest.name));
  const imports = new Map(packages.map((p) => [p.folder, p.sources.flatMap((file) => importsOf(file))]));
  const allImports = [...imports.values()].flat();
  const importsIn = (p: WorkspacePackage): readonly SourceImport[] => imports.get(p.folder) ?? [];

  it('has only the prescribed entries at the top level', () => {
    // Without what is ignored: commands make some of it, as a bill of materials.
    const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 26 }).split('\n');
    const present = new Set(files.map((file) => file.split('/')[0] ?? '').filter((name) => name !== '' && !name.startsWith('.')));
    expect([...present].filter((name) => !PRESCRIBED.includes(name))).to.deep.equal([]);
  });

  it('gives every package a README, the licence, ES modules and its floor of Node', () => {
    const faults = packages.flatMap((p) => packageFaults(p));
    expect(faults).to.deep.equal([]);
  });

  it('lets packages depend only on the floors below them', () => {
    const faults = packages.flatMap((p) => workspaceDependencies(p, names)
      .filter((name) => !floorOf(p.folder).workspace.test(name))
      .map((name) => `${dependencyPlace(p, name)}: ${p.manifest.name} must not depend on ${name}`));
    expect(faults).to.deep.equal([]);
  });

  it('allows third-party dependencies as the floor table lists them', () => {
    const faults = packages.flatMap((p) => {
      const allowed = floorOf(p.folder).thirdParty;
      const own = Object.keys(runtimeDependencies(p.manifest)).filter((name) => !names.has(name));
      return allowed ? own.filter((name) => !allowed.includes(name)).map((name) => `${dependencyPlace(p, name)}: ${name}`) : [];
    });
    expect(faults).to.deep.equal([]);
  });

  it('imports nothing across or up the floors and nothing undeclared', () => {
    const faults = packages.flatMap((p) => importsIn(p).flatMap((found) => importFault(p, found, names)));
    expect(faults).to.deep.equal([]);
  });

  it('has no circular imports between files, those of types and import() included', () => {
    const edges = new Map<string, string[]>();
    for (const found of allImports) {
      if (!found.specifier.startsWith('.')) continue;
      edges.set(found.file, [...(edges.get(found.file) ?? []), targetOf(found)]);
    }
    expect(edges.size).to.be.greaterThan(200);
    expect(findCycle(edges)?.join(' -> ')).to.equal(undefined);
  });

  it('has no circular dependencies between packages', () => {
    const edges = new Map(packages.map((p) => [p.manifest.name, workspaceDependencies(p, names)]));
    expect(findCycle(edges)?.join(' -> ')).to.equal(undefined);
  });

  it('ends the process only in the CLI and in the programs of the engine and of the Step process', () => {
    const sources = packages.flatMap((p) => p.sources).filter((file) => !PROGRAMS.test(file));
    expect(sources.flatMap((file) => exitCalls(file))).to.deep.equal([]);
  });

  it('keeps emitDecoratorMetadata off everywhere', () => {
    const on = filesBelow(ROOT).filter((file) => /tsconfig[^/]*\.json$/.test(file))
      .filter((file) => /"emitDecoratorMetadata"\s*:\s*true/.test(readFileSync(file, 'utf8')));
    expect(on).to.deep.equal([]);
  });

  it('names no path of a particular machine', () => {
    const personal = new RegExp(['work', 'root', 'home/[a-z]+', 'Users/[a-zA-Z]+'].map((name) => `(?<![\\w./:-])/${name}/`).join('|'));
    const faults = filesBelow(ROOT).filter((file) => TEXT.test(file)).flatMap((file) =>
      readFileSync(file, 'utf8').split('\n').flatMap((line, index) =>
        (personal.test(line) ? [`${relative(ROOT, file)}:${index + 1}: ${line.trim().slice(0, 120)}`] : [])));
    expect(faults).to.deep.equal([]);
  });
});

/**
 * Besides the CLI and the engine's program the two programs of the Step process: it has to end after its drain even
 * when the user's code holds timers and sockets.
 */
const PROGRAMS = /^(cli\/|core\/engine\/src\/bin\/|core\/worker\/src\/(child|production-main|treadle-worker)\.ts$)/;
const TEXT = /\.(ts|mts|js|mjs|cjs|json|md|ya?ml)$/;

function packageFaults(p: WorkspacePackage): string[] {
  const { manifest } = p;
  const faults: string[] = [];
  if (!existsSync(join(ROOT, p.folder, 'README.md'))) faults.push(`${p.folder}: no README.md`);
  if (manifest.license !== 'Apache-2.0') faults.push(`${p.folder}/package.json: license is ${manifest.license}`);
  if (manifest.type !== 'module') faults.push(`${p.folder}/package.json: type is ${manifest.type}`);
  const { node } = floorOf(p.folder);
  if (manifest.engines?.node !== node) faults.push(`${p.folder}/package.json: engines.node is ${manifest.engines?.node}, must be ${node}`);
  return faults;
}

function runtimeDependencies(manifest: Manifest): Record<string, string> {
  return { ...manifest.peerDependencies, ...manifest.optionalDependencies, ...manifest.dependencies };
}

function workspaceDependencies(p: WorkspacePackage, names: ReadonlySet<string>): string[] {
  return Object.keys(runtimeDependencies(p.manifest)).filter((name) => names.has(name));
}

function dependencyPlace(p: WorkspacePackage, name: string): string {
  const file = `${p.folder}/package.json`;
  const lines = readFileSync(join(ROOT, file), 'utf8').split('\n');
  return place({ file, line: lines.findIndex((line) => line.includes(`"${name}"`) && !line.includes('"name"')) + 1 });
}

function importFault(p: WorkspacePackage, found: SourceImport, names: ReadonlySet<string>): string[] {
  const { specifier } = found;
  if (isBuiltin(specifier)) return specifier.startsWith('node:') ? [] : [`${place(found)}: write node:${specifier}`];
  if (specifier.startsWith('.')) {
    return targetOf(found).startsWith(`${p.folder}/`) ? [] : [`${place(found)}: ${specifier} leaves the package`];
  }
  const name = specifier.split('/').slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
  if (name === p.manifest.name) return [];
  const declared = { ...runtimeDependencies(p.manifest), ...(found.typeOnly ? p.manifest.devDependencies : {}) };
  if (!(name in declared)) return [`${place(found)}: ${name} is not in ${p.folder}/package.json`];
  const forbidden = names.has(name) && !floorOf(p.folder).workspace.test(name);
  return forbidden ? [`${place(found)}: ${p.manifest.name} must not import ${name}`] : [];
}

function exitCalls(file: string): string[] {
  const source = parseSource(file);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && /^(globalThis\.)?process\.(exit|abort|reallyExit)$/.test(node.expression.getText())) {
      found.push(place({ file, line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1 }));
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}
