import { problems, Refused } from '@causeway/http';
import { Controller, Get, Header, Headers, Inject, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Answers, Unlisted } from '../edge/operation.ts';
import { DOCS } from '../edge/tokens.ts';
import type { Docs } from './files.ts';

/** Scripts, styles and data come from here alone; images may be part of a style. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

@Controller()
export class DocsController {
  constructor(@Inject(DOCS) private readonly files: Docs) {}

  @Get('docs')
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Answers(200, { type: 'string' }, 'Shows this document to people, and the guides.')
  home(
    @Headers('accept-encoding') accepted: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer> {
    return this.send('', accepted, reply);
  }

  @Get('docs/:part')
  @Unlisted(true)
  @Answers(200, null, 'Reads a guide, or what a page is made of.')
  part(
    @Param('part') name: string,
    @Headers('accept-encoding') accepted: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer> {
    return this.send(name, accepted, reply);
  }

  private async send(name: string, accepted: string | undefined, reply: FastifyReply): Promise<Buffer> {
    const file = (await this.files()).get(name);
    if (file === undefined) throw new Refused(problems.notFound);
    const { type, bytes, zipped, cacheSeconds } = file;
    const isZipped = accepted !== undefined && /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(accepted);
    void reply.type(type).headers({
      'Cache-Control': `public, max-age=${cacheSeconds}`,
      'Content-Security-Policy': policy,
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
      Vary: 'Accept-Encoding',
      ...(isZipped && { 'Content-Encoding': 'gzip' }),
    });
    return isZipped ? zipped : bytes;
  }
}
