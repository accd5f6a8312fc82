import { Body, Controller, Get, HttpCode, Param, Post, Query, Req, UseGuards } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';

import { ApiFailures } from '#platform/openapi/docs';
import {
  AdminPayment,
  AdminPaymentsAnswer,
  PaymentCloseBody,
  PaymentCreditBody,
  AdminPaymentsQuery,
} from './admin-payments.dto';
import { AdminPaymentsService } from './admin-payments.service';
import { AdminGuard, ForAdmins } from './admin.guard';
import { InDocument } from '#platform/openapi/audience';

/** Shows operators the payments that bought no credits, and takes their decisions. */
@ApiTags('admin')
@ApiSecurity('adminToken')
@UseGuards(AdminGuard)
@InDocument('account')
@Controller('v1/admin/payments')
export class AdminPaymentsController {
  constructor(private readonly payments: AdminPaymentsService) {}

  @Get()
  @ApiOperation({
    summary:
      'Payments that bought no credits: of a wrong amount or currency, or for no top-up that is known.',
    operationId: 'adminListPayments',
  })
  @ApiOkResponse({ type: AdminPaymentsAnswer })
  @ApiFailures(400, 401, 403, 429)
  list(@Query() { limit, state, cursor }: AdminPaymentsQuery): Promise<AdminPaymentsAnswer> {
    return this.payments.list(state, limit, cursor);
  }

  @Post(':id/credit')
  @ForAdmins('money')
  @HttpCode(200)
  @ApiOperation({ summary: 'Credit such a payment, once.', operationId: 'adminCreditPayment' })
  @ApiOkResponse({ type: AdminPayment })
  @ApiFailures(400, 401, 403, 404, 409, 429)
  credit(
    @Param('id') id: string,
    @Body() body: PaymentCreditBody,
    @Req() request: FastifyRequest,
  ): Promise<AdminPayment> {
    return this.payments.credit(id, body, request);
  }

  @Post(':id/close')
  @ForAdmins('money')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Record that it was refunded at the processor, or settled otherwise.',
    operationId: 'adminClosePayment',
  })
  @ApiOkResponse({ type: AdminPayment })
  @ApiFailures(400, 401, 403, 404, 409, 429)
  close(
    @Param('id') id: string,
    @Body() body: PaymentCloseBody,
    @Req() request: FastifyRequest,
  ): Promise<AdminPayment> {
    return this.payments.close(id, body.reason, request);
  }
}
