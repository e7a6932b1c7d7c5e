import type { GraphModule, StartGraph } from './start-graph.js';

/** The graph as a tree: one branch per module in start order. */
export function formatTree({ config, modules }: StartGraph): string {
  const many = modules.length === 1 ? 'module starts' : 'modules start in this order and stop in reverse';
  const head = `${config}: ${modules.length} ${many}`;
  return [head, ...modules.flatMap((module, index) => branch(module, index === modules.length - 1, modules))].join('\n');
}

/** The graph as a Mermaid flowchart: arrows lead from a module to what it needs. */
export function formatMermaid({ modules }: StartGraph): string {
  return ['flowchart TD', ...modules.flatMap(mermaidModule)].join('\n');
}

function branch(module: GraphModule, last: boolean, all: readonly GraphModule[]): readonly string[] {
  const details = detailsOf(module, all);
  const head = [`${last ? '└─' : '├─'} ${module.order}. ${module.instance}`, origin(module)].join('  ');
  const indent = last ? '   ' : '│  ';
  return [head, ...details.map((text, index) => `${indent}${index === details.length - 1 ? '└─' : '├─'} ${text}`)];
}

function origin({ implicit, at, servedAs }: GraphModule): string {
  if (implicit) return '(added: the file does not name it)';
  return [at ?? '', servedAs === undefined ? '' : `as ${servedAs}`].filter(Boolean).join('  ');
}

function detailsOf(module: GraphModule, all: readonly GraphModule[]): readonly string[] {
  return [
    ...module.provides.map((port) => `provides ${port}`),
    ...module.triggers.map((type) => `serves trigger kind ${type}`),
    ...module.needs.map((need) => `needs ${need.port} ${suppliers(need.from, all)}`),
    ...module.adapters.map((adapter) => [`${adapter.slot}: ${adapter.class}`, adapter.at ?? '(default)'].join('  ')),
  ];
}

function suppliers(from: readonly number[], all: readonly GraphModule[]): string {
  if (from.length === 0) return '(optional; nobody provides it)';
  return `from ${from.map((order) => `${order}. ${all[order - 1]?.class ?? ''}`).join(', ')}`;
}

function mermaidModule(module: GraphModule): readonly string[] {
  const id = `m${module.order}`;
  const note = module.implicit ? '<br/>(added)' : '';
  return [
    `  ${id}["${module.order}. ${module.instance}${note}"]`,
    ...module.needs.flatMap((need) => need.from.map((order) => `  ${id} -- "${need.port}" --> m${order}`)),
    ...module.adapters.flatMap((adapter, index) => [
      `  ${id}a${index + 1}(["${adapter.class}"])`, `  ${id} -. "${adapter.slot}" .-> ${id}a${index + 1}`,
    ]),
  ];
}
