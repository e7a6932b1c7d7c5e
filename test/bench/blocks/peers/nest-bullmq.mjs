// NestJS on fastify with @nestjs/bullmq: POST /orders validates, adds a job and answers when Redis has acknowledged; a
// processor in the same process consumes. GET /consumed tells how many jobs were processed and acknowledged.
// node nest-bullmq.mjs <port of Redis> [documented]: with "documented" NestJS's own ValidationPipe validates a class of
// class-validator, as its documentation tells; without it a compiled ajv schema does, which is cheaper.
import 'reflect-metadata';
import { BullModule, OnWorkerEvent, Processor, WorkerHost, getQueueToken } from '@nestjs/bullmq';
import { BadRequestException, Body, Controller, Get, HttpCode, Inject, Module, Post, ValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import Ajv from 'ajv';
import { OrderDto } from './order-dto.mjs';
import { ORDER_SCHEMA } from '../../servers/post-schema.mjs';
import { announce } from '../../servers/announce.mjs';

const port = Number(process.argv[2]);
const documented = process.argv[3] === 'documented';
const validate = documented ? () => true : new Ajv().compile(ORDER_SCHEMA);
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
// What TypeScript writes for a parameter of this type; the pipe looks for it.
if (documented) Reflect.defineMetadata('design:paramtypes', [OrderDto], OrdersController.prototype, 'take');
decorate(OrdersController, 'consumed', [Get('/consumed')]);
Controller()(OrdersController);

class OrdersProcessor extends WorkerHost {
  async process() { return undefined; }

  completed() { counted.consumed++; }
}
decorate(OrdersProcessor, 'completed', [OnWorkerEvent('completed')]);
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
if (documented) app.useGlobalPipes(new ValidationPipe({ whitelist: true, forbidNonWhitelisted: true }));
await app.listen(0, '127.0.0.1');
announce(app.getHttpServer().address().port);

function decorate(target, method, decorators) {
  for (const one of decorators) one(target.prototype, method, Object.getOwnPropertyDescriptor(target.prototype, method));
}
