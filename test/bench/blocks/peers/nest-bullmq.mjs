// NestJS on fastify with @nestjs/bullmq: POST /orders validates with a compiled ajv schema (cheaper than Nest's own pipe), adds
// a job and answers when Redis has acknowledged; a processor in the same process consumes. GET /consumed tells how many.
import 'reflect-metadata';
import { BullModule, Processor, WorkerHost, getQueueToken } from '@nestjs/bullmq';
import { BadRequestException, Body, Controller, Get, HttpCode, Inject, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import Ajv from 'ajv';
import { ORDER_SCHEMA } from '../../servers/post-schema.mjs';
import { announce } from '../../servers/announce.mjs';

const port = Number(process.argv[2]);
const validate = new Ajv().compile(ORDER_SCHEMA);
const counted = { consumed: 0 };

class OrdersController {
  constructor(queue) { this.queue = queue; }

  async take(body) {
    if (!validate(body)) throw new BadRequestException(validate.errors);
    await this.queue.add('order', body);
    return { accepted: true };
  }

  consumed() { return counted; }
}
Inject(getQueueToken('orders'))(OrdersController, undefined, 0);
decorate(OrdersController, 'take', [Post('/orders'), HttpCode(200)]);
Body()(OrdersController.prototype, 'take', 0);
decorate(OrdersController, 'consumed', [Get('/consumed')]);
Controller()(OrdersController);

class OrdersProcessor extends WorkerHost {
  async process() { counted.consumed++; }
}
Processor('orders', { concurrency: 100 })(OrdersProcessor);

class AppModule {}
Module({
  imports: [
    BullModule.forRoot({
      connection: { port, host: '127.0.0.1', maxRetriesPerRequest: null },
      defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
    }),
    BullModule.registerQueue({ name: 'orders' }),
  ],
  controllers: [OrdersController], providers: [OrdersProcessor],
})(AppModule);

const app = await NestFactory.create(AppModule, new FastifyAdapter(), { logger: ['error'] });
await app.listen(0, '127.0.0.1');
announce(app.getHttpServer().address().port);

function decorate(target, method, decorators) {
  for (const one of decorators) one(target.prototype, method, Object.getOwnPropertyDescriptor(target.prototype, method));
}
