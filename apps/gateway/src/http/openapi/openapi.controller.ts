import type { JsonSchema } from '@causeway/http';
import { Controller, Get, Inject } from '@nestjs/common';
import { Answers } from '../edge/operation.ts';
import { OPENAPI } from '../edge/tokens.ts';

const documentSchema: JsonSchema = { type: 'object', required: ['openapi', 'info', 'paths'] };

@Controller()
export class OpenapiController {
  constructor(@Inject(OPENAPI) private readonly text: string) {}

  @Get('openapi.json')
  @Answers(200, documentSchema, 'Reads this document.')
  document(): string {
    return this.text;
  }
}
