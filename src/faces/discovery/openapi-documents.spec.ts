import 'reflect-metadata';

import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { ApiTags } from '@nestjs/swagger';

import { buildDocuments } from './openapi-documents';

@ApiTags('Widgets')
@Controller('v1/widgets')
class WidgetsController {
  @Get('own') own(): void {}
}

@Controller('v1/gadgets')
class GadgetsController {
  @Get() @ApiTags('billing') list(): void {}
  @Get('shared') @ApiTags('Widgets', 'billing') shared(): void {}
  @Get('own') own(): void {}
}

@Module({ controllers: [WidgetsController, GadgetsController] })
class TeamModule {}

it('drops only the tag that Nest has added, and only beside a tag of the service', async () => {
  const app = await NestFactory.create(TeamModule, new FastifyAdapter(), { logger: false });
  await app.init();
  const about = { publicUrl: 'http://lamppost.example', prices: {}, schemes: {}, webhooks: {} };
  const { agent, extensions } = buildDocuments(app, about);
  await app.close();

  const paths = { ...agent.paths, ...extensions.paths };
  expect(Object.fromEntries(Object.entries(paths).map(([path, item]) => [path, item.get?.tags]))).toEqual({
    '/v1/widgets/own': ['Widgets'],
    '/v1/gadgets': ['billing'],
    '/v1/gadgets/shared': ['Widgets', 'billing'],
    '/v1/gadgets/own': ['Gadgets'],
  });
});
