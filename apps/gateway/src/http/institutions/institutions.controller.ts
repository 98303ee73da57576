import { problems, Refused, type Cursors } from '@causeway/http';
import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { From, type Asked } from '../edge/from.ts';
import { list } from '../edge/list.ts';
import { Answers, pageOf, Scope } from '../edge/operation.ts';
import { CURSORS } from '../edge/tokens.ts';
import { institutionOf, institutionsAfter, keyOfInstitution } from './institution-list.ts';
import { ListInstitutionsQuery } from './institution.query.ts';
import { institutionResponse, InstitutionResponse } from './institution.response.ts';

@Controller('v1/institutions')
export class InstitutionsController {
  constructor(@Inject(CURSORS) private readonly cursors: Cursors) {}

  @Get()
  @Scope('connections:read')
  @Answers(200, pageOf(InstitutionResponse), 'Lists institutions by name.')
  async list(@From() asked: Asked, @Query() query: ListInstitutionsQuery): Promise<string> {
    return list(this.cursors, { asked, query }, async (after) => {
      const found = institutionsAfter(asked.caller.environment, query.query, after);
      const shown = found.slice(0, query.limit);
      const last = shown.at(-1);
      return {
        data: shown.map((institution) => JSON.stringify(institutionResponse(institution))).join(','),
        hasMore: found.length > query.limit,
        key: last === undefined ? [] : keyOfInstitution(last),
      };
    });
  }

  @Get(':institutionId')
  @Scope('connections:read')
  @Answers(200, InstitutionResponse, 'Reads an institution.')
  get(@From() { caller }: Asked, @Param('institutionId') institutionId: string): InstitutionResponse {
    const institution = institutionOf(caller.environment, institutionId.toLowerCase());
    if (institution === undefined) throw new Refused(problems.notFound);
    return institutionResponse(institution);
  }
}
