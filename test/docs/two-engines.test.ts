import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { load, loadAll } from 'js-yaml';
import { ROOT } from '../architecture/workspace.js';

interface Service {
  readonly build?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: unknown;
  readonly stop_grace_period?: string;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
}

interface Labels { readonly matchLabels: Readonly<Record<string, string>> }

interface Container {
  readonly ports: readonly { readonly containerPort: number }[];
  readonly envFrom: readonly { readonly secretRef: { readonly name: string } }[];
  readonly readinessProbe: { readonly httpGet: { readonly path: string; readonly port: number } };
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}

/** The members of the objects that are looked at. */
interface Manifest {
  readonly kind: string;
  readonly apiVersion: string;
  readonly spec: {
    readonly replicas: number; readonly selector: Labels & Readonly<Record<string, string>>; readonly minAvailable: number;
    readonly ports: readonly { readonly targetPort: number }[];
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: {
        readonly terminationGracePeriodSeconds: number; readonly containers: readonly Container[]; readonly volumes: readonly { readonly name: string }[];
      };
    };
  };
}

const read = (name: string): string => readFileSync(join(ROOT, 'docs/deploy', name), 'utf8');

/** Their parts have to fit together, and the image of the deployment guide; `test/e2e/shared-stores.test.ts` starts two engines with the configuration. */
describe('the files for two engines on PostgreSQL', () => {
  it('compose: the proxy knows every engine by its service, at the port of the image', () => {
    const { services, volumes } = load(read('compose.two-engines.yaml')) as { services: Readonly<Record<string, Service>>; volumes: object };
    const engines = Object.entries(services).filter(([, { build }]) => build !== undefined);
    expect(engines).to.have.length(2);
    const config = read('haproxy.cfg');
    const port = /EXPOSE (\d+)/.exec(read('Dockerfile'))?.[1];
    expect([...config.matchAll(/^ {2}server (\S+) (\S+)$/gm)].map(([, , address]) => address)).to.deep.equal(engines.map(([name]) => `${name}:${port}`));
    expect(services['proxy']?.ports).to.deep.equal([`3111:${/bind :(\d+)/.exec(config)?.[1]}`]);
    expect(config).to.contain('httpchk GET /health');
    for (const [, { environment, stop_grace_period: grace, depends_on: needs }] of engines) {
      expect(environment?.['DATABASE_URL']).to.match(/^postgres:\/\/treadle:\$\{POSTGRES_PASSWORD:\?.*\}@postgres\/treadle$/);
      expect(Number.parseInt(grace ?? '', 10)).to.be.greaterThan(35);
      expect(needs).to.deep.equal({ postgres: { condition: 'service_healthy' } });
    }
    expect(services['postgres']?.volumes?.map((volume) => volume.split(':')[0])).to.deep.equal(Object.keys(volumes));
  });

  it('Kubernetes: Service and budget select the pods, which end slowly enough', () => {
    const [deployment, service, budget] = loadAll(read('kubernetes.two-engines.yaml')) as readonly Manifest[];
    expect([deployment, service, budget].map((each) => `${each?.apiVersion} ${each?.kind}`)).to.deep.equal(['apps/v1 Deployment', 'v1 Service', 'policy/v1 PodDisruptionBudget']);
    const { labels } = deployment?.spec.template.metadata ?? {};
    expect(deployment?.spec.selector.matchLabels).to.deep.equal(labels);
    expect(service?.spec.selector).to.deep.equal(labels);
    expect(budget?.spec.selector.matchLabels).to.deep.equal(labels);
    expect(deployment?.spec.replicas).to.equal(2);
    const { containers, volumes, terminationGracePeriodSeconds: grace } = deployment?.spec.template.spec ?? {};
    const [container, ...others] = containers ?? [];
    expect(others).to.deep.equal([]);
    expect(service?.spec.ports[0]?.targetPort).to.equal(container?.ports[0]?.containerPort);
    expect(container?.readinessProbe.httpGet).to.deep.equal({ path: '/health', port: container?.ports[0]?.containerPort });
    expect(container?.volumeMounts.map(({ name }) => name)).to.deep.equal(volumes?.map(({ name }) => name));
    expect(grace).to.be.greaterThan(35);
  });
});
