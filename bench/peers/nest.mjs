// The limit of the framework: a Nest route with the least work on the same Fastify, with or without an interceptor.
import 'reflect-metadata';

import { Controller, Module, Post, UseInterceptors } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { of } from 'rxjs';

const { PORT, ANSWER_BODY = '{}', INTERCEPTED } = process.env;
const answer = Buffer.from(ANSWER_BODY);

class Answering {
  answer() {
    return answer;
  }
}
class Interceptor {
  intercept() {
    return Promise.resolve(of(answer));
  }
}
class Bench {}

const method = Object.getOwnPropertyDescriptor(Answering.prototype, 'answer');
Post('v1/agent/chat')(Answering.prototype, 'answer', method);
if (INTERCEPTED === 'true') UseInterceptors(new Interceptor())(Answering.prototype, 'answer', method);
Controller()(Answering);
Module({ controllers: [Answering] })(Bench);
const app = await NestFactory.create(Bench, new FastifyAdapter(), { logger: false });
await app.listen(Number(PORT), '127.0.0.1');
