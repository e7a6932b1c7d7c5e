import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { Server, ServerCredentials, type handleUnaryCall, type GrpcObject, type ServiceClientConstructor } from '@grpc/grpc-js';
import { OTLP_PROTO } from './otlp-proto.fixture.js';

/** Comes with grpc-js. */
const fromGrpc = createRequire(createRequire(import.meta.url).resolve('@grpc/grpc-js'));
const fromLoader = createRequire(fromGrpc.resolve('@grpc/proto-loader'));

interface MessageType {
  decode(bytes: Uint8Array): object;
  encode(message: object): { finish(): Uint8Array };
  toObject(message: object, options: object): object;
}
interface ProtoRoot {
  lookupType(name: string): MessageType;
  resolveAll(): ProtoRoot;
  toJSON(): object;
}
const protobuf = fromLoader('protobufjs') as { readonly Root: new () => ProtoRoot; parse(text: string, root: ProtoRoot): void };
const loader = fromGrpc('@grpc/proto-loader') as { fromJSON(json: object, options: object): Parameters<typeof import('@grpc/grpc-js').loadPackageDefinition>[0] };
const grpc = createRequire(import.meta.url)('@grpc/grpc-js') as typeof import('@grpc/grpc-js');

const SIGNALS = { trace: 'Trace', metrics: 'Metrics', logs: 'Logs' } as const;
type Signal = keyof typeof SIGNALS;

/** Ids as hex, numbers as numbers. */
const PLAIN = { longs: Number, enums: String, bytes: Buffer, arrays: true };

/** One request of an exporter. */
export interface Received {
  readonly signal: Signal;
  readonly headers: Readonly<Record<string, unknown>>;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- whatever the protocol holds
  readonly body: any;
}

/** A collector that keeps what it is sent, over gRPC or HTTP. */
export class OtlpReceiver {
  readonly received: Received[] = [];
  /** While set, requests are refused. */
  broken = false;
  private readonly root: ProtoRoot;
  private ends: (() => Promise<void>)[] = [];

  constructor() {
    this.root = new protobuf.Root();
    for (const text of OTLP_PROTO) protobuf.parse(text, this.root);
    this.root.resolveAll();
  }

  /** Returns the address. */
  async listenGrpc(port = 0): Promise<string> {
    const server = new Server();
    const packages = grpc.loadPackageDefinition(loader.fromJSON(this.root.toJSON(), PLAIN));
    for (const signal of Object.keys(SIGNALS) as Signal[]) {
      const at = ['opentelemetry', 'proto', 'collector', signal, 'v1', `${SIGNALS[signal]}Service`];
      const service = at.reduce<unknown>((found, name) => (found as GrpcObject)[name], packages) as ServiceClientConstructor;
      server.addService(service.service, { Export: this.grpcHandler(signal) });
    }
    const bound = await new Promise<number>((resolve, reject) => {
      server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error, own) => (error ? reject(error) : resolve(own)));
    });
    this.ends.push(async () => server.forceShutdown());
    return `http://127.0.0.1:${bound}`;
  }

  async listenHttp(): Promise<string> {
    return this.listen((request, response) => void this.http(request, response));
  }

  /** An address that sends everybody on to another one. */
  async redirectTo(url: string): Promise<string> {
    return this.listen((request, response) => void response.writeHead(307, { location: url + (request.url ?? '') }).end());
  }

  async close(): Promise<void> {
    for (const end of this.ends.splice(0)) await end();
  }

  of(signal: Signal): readonly Received[] {
    return this.received.filter((one) => one.signal === signal);
  }

  private async listen(handle: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
    const server = createServer(handle);
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    this.ends.push(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  private grpcHandler(signal: Signal): handleUnaryCall<object, object> {
    return ({ metadata, request }, answer) => {
      if (this.broken) return answer({ code: 3, message: 'refused by the test' });
      this.received.push({ signal, headers: metadata.getMap(), body: request });
      return answer(null, {});
    };
  }

  private async http(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const signal = { '/v1/traces': 'trace', '/v1/metrics': 'metrics', '/v1/logs': 'logs' }[request.url ?? ''] as Signal;
    const type = this.root.lookupType(`opentelemetry.proto.collector.${signal}.v1.Export${SIGNALS[signal]}ServiceRequest`);
    const bytes = Buffer.concat(chunks);
    const message = type.decode(bytes);
    // A field that the protocol does not have is skipped by the decoder, and is not there when it is written again.
    if (type.encode(message).finish().length !== bytes.length) return void response.writeHead(400).end('there are fields that the protocol does not have');
    this.received.push({ signal, headers: request.headers, body: type.toObject(message, PLAIN) });
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  }
}
