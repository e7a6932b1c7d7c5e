import {
  type AdminAccess, type AdminCatalog, type AdminRoute, type AdminRoutes, type InstanceId, type InstanceStatus, type PluginViews, refuseUnknownArguments, refuseUnknownMembers,
} from '@treadle/api';

/** What the registry shows besides the routes. */
export interface EngineView {
  instances(): readonly InstanceStatus[];
  addresses(): ReadonlyMap<string, string>;
  views(): readonly PluginViews[];
}

/** The admin routes of all instances and how they are, for the module that serves them. */
export class AdminRegistry implements AdminCatalog {
  private readonly byUser = new Map<object, AdminRoute[]>();

  constructor(private readonly view: EngineView) {}

  instances(): readonly InstanceStatus[] {
    return this.view.instances();
  }

  addresses(): ReadonlyMap<string, string> {
    return this.view.addresses();
  }

  views(): readonly PluginViews[] {
    return this.view.views();
  }

  routes(): readonly AdminRoute[] {
    return [...this.byUser.values()].flat();
  }

  /** What an instance adds its routes to. */
  routesOf(user: object, instance: InstanceId): AdminRoutes {
    const add = (method: AdminRoute['method']) => (path: string, handle: AdminRoute['handle'], ...[takes, summary, access]: Described): void => {
      const routes = this.byUser.get(user) ?? [];
      routes.push({ instance: instance.id, classId: instance.classId, method, path, takes, summary, access, handle: checked(method, handle, takes) });
      this.byUser.set(user, routes);
    };
    const events = add('EVENTS');
    return {
      get: add('GET'), post: add('POST'), put: add('PUT'), delete: add('DELETE'),
      events: (path, open, ...described) => events(path, async (request, send = ignore) => open(request, send), ...described),
    };
  }

  /** The instance has stopped. */
  release(user: object): void {
    this.byUser.delete(user);
  }
}

/** What may be said of a route beside its path. */
type Described = [takes?: readonly string[], summary?: string, access?: AdminAccess];

function checked(method: AdminRoute['method'], handle: AdminRoute['handle'], takes: readonly string[] | undefined): AdminRoute['handle'] {
  if (takes === undefined) return handle;
  const changes = method === 'POST' || method === 'PUT';
  return async (request, send) => {
    if (changes) refuseUnknownMembers(request, takes);
    else refuseUnknownArguments(request.query, takes);
    return handle(request, send);
  };
}

/** For a server that asks for no events. */
function ignore(): void {}
