import type { IncomingMessage } from 'node:http';

/** Cookies of all ports of a host come together: the name tells consoles of one machine apart. */
export class SessionCookie {
  private readonly name: string;

  constructor(port: number) {
    this.name = `treadle_console_${port}`;
  }

  /** The session's id; undefined without one. */
  read({ headers: { cookie = '' } }: IncomingMessage): string | undefined {
    const prefix = `${this.name}=`;
    return cookie.split(';').map((part) => part.trim()).find((part) => part.startsWith(prefix))?.slice(prefix.length);
  }

  /** Value of `Set-Cookie` that begins a session. */
  begin(id: string): string {
    return `${this.name}=${id}; Path=/; HttpOnly; SameSite=Strict`;
  }

  /** Value of `Set-Cookie` that ends it. */
  get end(): string {
    return `${this.name}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`;
  }
}
