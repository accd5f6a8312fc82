import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type Observable, map } from 'rxjs';

/** An audio file. As base64, it can be a part of the stored answer of a call. */
export interface AudioFile {
  readonly type: string;
  readonly base64: string;
}

const isFile = (answer: unknown): answer is AudioFile =>
  typeof (answer as Partial<AudioFile> | undefined)?.base64 === 'string';

/** Sends the bytes of a file. It runs outside of the charge interceptor, so it also converts replayed answers. */
@Injectable()
export class AudioFileInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    return next.handle().pipe(
      map((answer: unknown) => {
        if (!isFile(answer)) return answer; // The answer of a dry run is no file.
        void reply.type(answer.type);
        return Buffer.from(answer.base64, 'base64');
      }),
    );
  }
}
