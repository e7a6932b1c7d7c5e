import { AdminCatalog, type AdminRoute, bind, definePlugin, Inject, type Lifecycle, Module, type Plugin, token } from '@treadle/api';
import type { TestComposition } from '@treadle/engine/testing';

const ROUTES = token<AdminCatalog>('testing.Routes');

/** Hands the engine's admin routes to a test. */
export function routesPlugin(): Plugin {
  class RoutesModule implements Lifecycle {
    constructor(private readonly catalog: AdminCatalog) {}
    ports = (): ReturnType<NonNullable<Lifecycle['ports']>> => [bind(ROUTES, this.catalog)];
  }
  Inject(AdminCatalog)(RoutesModule, undefined, 0);
  Module({
    id: 'testing::admin::RoutesModule', summary: 'Admin routes', stability: 'development', since: '0.1.0',
    config: { type: 'object', additionalProperties: false }, provides: [ROUTES],
  })(RoutesModule);
  return definePlugin({ name: '@treadle/routes', version: '0.1.0', api: '*', modules: [RoutesModule] });
}

/** @throws Error when no module has added it */
export function adminRoute(test: TestComposition, method: AdminRoute['method'], path: string): AdminRoute {
  const found = test.engine.port(ROUTES)?.routes().find((one) => one.method === method && one.path === path);
  if (!found) throw new Error(`no admin route ${method} ${path}`);
  return found;
}
