import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type Observable, map } from 'rxjs';

/** A file in the form in which answers are stored for repetitions. */
export interface AudioFile {
  readonly type: string;
  readonly base64: string;
}

const isFile = (answer: unknown): answer is AudioFile =>
  typeof (answer as Partial<AudioFile> | undefined)?.base64 === 'string';

/** Sends files as their bytes. It is outside of the charge interceptor, so a repeated answer is sent the same way. */
@Injectable()
export class AudioFileInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    return next.handle().pipe(
      map((answer: unknown) => {
        if (!isFile(answer)) return answer; // A dry run.
        void reply.type(answer.type);
        return Buffer.from(answer.base64, 'base64');
      }),
    );
  }
}
