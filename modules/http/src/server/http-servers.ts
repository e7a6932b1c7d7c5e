import { MovingListener, type ReconfigureContext } from '@treadle/api';
import type { HttpConfig } from '../http.config.js';
import { HttpServer, type HttpServerOptions } from './http-server.js';

/** Everything that a server needs besides its config. */
export type ServerParts = Omit<HttpServerOptions, 'config'>;

/** The server at the present address, and those at former ones whose last requests are being answered. */
export class HttpServers {
  private readonly servers: MovingListener<HttpServer>;

  constructor(private readonly parts: ServerParts, private config: HttpConfig) {
    this.servers = new MovingListener(new HttpServer({ ...parts, config }));
  }

  /** `http://host:port` while it listens. */
  get address(): string | undefined {
    return this.servers.current.address;
  }

  /** @throws ADDRESS_IN_USE, ADDRESS_REFUSED naming the setting */
  async listen(): Promise<void> {
    await this.servers.current.listen(this.config);
  }

  /** Goes over to another config; see `MovingListener` for another address. */
  async reconfigure(config: HttpConfig, context: ReconfigureContext): Promise<void> {
    const { host, port } = this.config;
    if (config.host !== host || config.port !== port) {
      await this.servers.moveTo(config, () => new HttpServer({ ...this.parts, config }), context);
      this.servers.current.rename(config.host);
    }
    this.config = config;
    for (const server of this.servers.all) server.setLimits(config);
  }

  async drain(signal: AbortSignal): Promise<void> {
    await Promise.all(this.servers.all.map((server) => server.drain(signal)));
  }

  /** Breaks off what is left. Idempotent. */
  async close(): Promise<void> {
    await Promise.all(this.servers.all.map((server) => server.close()));
  }
}
