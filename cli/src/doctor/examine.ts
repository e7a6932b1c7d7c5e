import { formatError } from '@treadle/api';
import type { EnginePlan } from '@treadle/kernel';
import type { Planning } from '../application/plan.js';
import { missingApplication } from '../application/presence.js';
import { CLI_VERSION } from '../version.js';
import { count } from '../terminal/table.js';
import { checkAccess } from './access.js';
import { checkDataFolder } from './data-folder.js';
import { engineState } from './engine-state.js';
import { type DoctorFinding, failed, ok, warned } from './finding.js';
import { checkPorts } from './ports.js';
import { checkNode, checkPython } from './runtimes.js';
import { checkVersions } from './versions.js';

const PYTHON_RUNTIME = 'modules::runtime::adapters::Python';

/** Looks at everything that an application needs to run on this machine. Starts nothing and changes nothing. */
export async function examine({ application, name, result }: Planning): Promise<readonly DoctorFinding[]> {
  const { plan } = result;
  const root = plan?.root ?? application.folder;
  const tools = [checkNode(process.versions.node), await checkPython(root, namedPython(plan)), checkVersions(application.folder, CLI_VERSION)];
  const config = configFinding(name, result);
  const nothing = application.configFile === undefined ? missingApplication(application.folder) : undefined;
  if (nothing !== undefined) tools.push(warned('application', `no application in ${application.folder}`, nothing));
  // Ports and folders are those that the configuration names.
  return plan ? [...tools, config, ...await placeFindings(plan)] : [...tools, config];
}

async function placeFindings(plan: EnginePlan): Promise<readonly DoctorFinding[]> {
  const { finding, pid } = await engineState(plan.dataDir);
  return [finding, ...await checkPorts(plan, pid), ...await checkDataFolder(plan.dataDir), ...await checkAccess(plan.dataDir)];
}

function configFinding(name: string, { errors, warnings, counts }: Planning['result']): DoctorFinding {
  const [first] = errors;
  if (first) return failed('configuration', `${name}: ${count(errors.length, 'error')}, the first: ${firstLine(formatError(first))}`, '"treadle check" shows all of them');
  const [warning] = warnings;
  if (warning) return warned('configuration', `${name}: ${count(warnings.length, 'warning')}, the first: ${firstLine(formatError(warning))}`, '"treadle check" shows all of them');
  return ok('configuration', `${name}: valid, ${count(counts.modules, 'module')}`);
}

function namedPython(plan: EnginePlan | undefined): string | undefined {
  const adapter = plan?.entries.flatMap((entry) => entry.adapters).find(({ spec }) => spec.id === PYTHON_RUNTIME);
  return (adapter?.config as { python?: string } | undefined)?.python;
}

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';
