import { Body, Controller, Get, Param, Post, Query, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';

import {
  AdminPayment,
  AdminPaymentsAnswer,
  PaymentCloseBody,
  PaymentCreditBody,
  AdminPaymentsQuery,
} from './admin-payments.dto';
import { AdminPaymentsService } from './admin-payments.service';
import { OperatorRoute } from './operator-route';

/** Shows operators the payments that bought no credits, and takes their decisions. */
@ApiTags('admin')
@Controller('v1/admin/payments')
export class AdminPaymentsController {
  constructor(private readonly payments: AdminPaymentsService) {}

  @Get()
  @OperatorRoute({
    summary:
      'Payments that bought no credits: of a wrong amount or currency, or for no top-up that is known.',
    operationId: 'adminListPayments',
    answer: AdminPaymentsAnswer,
    failures: [400],
  })
  list(@Query() { limit, state, cursor }: AdminPaymentsQuery): Promise<AdminPaymentsAnswer> {
    return this.payments.list(state, limit, cursor);
  }

  @Post(':id/credit')
  @OperatorRoute({
    scope: 'money',
    summary: 'Credit such a payment, once.',
    operationId: 'adminCreditPayment',
    answer: AdminPayment,
    failures: [400, 404, 409],
  })
  credit(
    @Param('id') id: string,
    @Body() body: PaymentCreditBody,
    @Req() request: FastifyRequest,
  ): Promise<AdminPayment> {
    return this.payments.credit(id, body, request);
  }

  @Post(':id/close')
  @OperatorRoute({
    scope: 'money',
    summary: 'Record that it was refunded at the processor, or settled otherwise.',
    operationId: 'adminClosePayment',
    answer: AdminPayment,
    failures: [400, 404, 409],
  })
  close(
    @Param('id') id: string,
    @Body() body: PaymentCloseBody,
    @Req() request: FastifyRequest,
  ): Promise<AdminPayment> {
    return this.payments.close(id, body.reason, request);
  }
}
