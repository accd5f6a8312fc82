import { Module } from '@nestjs/common';

import { BillingModule } from '#money/billing/billing.module';
import { CatalogModule } from '#models/catalog/catalog.module';
import { EventsModule } from '#notices/events/events.module';
import { JobsModule } from '#work/jobs/jobs.module';
import { OauthModule } from '#people/oauth/oauth.module';
import { HttpModule } from '#platform/http/http.module';
import { InProcess } from './in-process';
import { JobTasks } from './job-tasks';
import { McpController } from './mcp.controller';
import { McpAccess } from './mcp-access';
import { McpAccessGuard } from './mcp-access.guard';
import { McpServerFactory } from './mcp-server';
import { OwnHostGuard } from './own-host.guard';
import { ToolRunner } from './tool-runner';
import { ToolMediaAdmission } from './tool-media-admission';

@Module({
  imports: [BillingModule, CatalogModule, EventsModule, HttpModule, JobsModule, OauthModule],
  controllers: [McpController],
  providers: [
    InProcess,
    JobTasks,
    McpAccess,
    McpAccessGuard,
    McpServerFactory,
    OwnHostGuard,
    ToolRunner,
    ToolMediaAdmission,
  ],
})
export class McpModule {}
