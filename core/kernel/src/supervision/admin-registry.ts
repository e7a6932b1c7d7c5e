import type { AdminCatalog, AdminRequest, AdminRoute, AdminRoutes, InstanceId } from '@treadle/api';

/** The admin routes of all instances, for the module that serves them. */
export class AdminRegistry implements AdminCatalog {
  private readonly byUser = new Map<object, AdminRoute[]>();

  routes(): readonly AdminRoute[] {
    return [...this.byUser.values()].flat();
  }

  /** What an instance adds its routes to. */
  routesOf(user: object, instance: InstanceId): AdminRoutes {
    const add = (method: AdminRoute['method']) => (path: string, handle: (request: AdminRequest) => Promise<unknown>): void => {
      const routes = this.byUser.get(user) ?? [];
      routes.push({ instance: instance.id, classId: instance.classId, method, path, handle });
      this.byUser.set(user, routes);
    };
    return { get: add('GET'), post: add('POST') };
  }

  /** The instance has stopped. */
  release(user: object): void {
    this.byUser.delete(user);
  }
}
