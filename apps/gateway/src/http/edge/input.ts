import {
  faultsOfNoBody,
  faultsOfNoQuery,
  invalidRequest,
  isUuid,
  parseBody,
  parseQuery,
  Refused,
  type Shape,
} from '@causeway/http';
import { type ArgumentMetadata, type CanActivate, type ExecutionContext, type PipeTransform } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/** A route that takes no query or no body refuses one: nobody then believes that it had an effect. */
export class TakesNothingUndeclared implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { operation, query, body } = context.switchToHttp().getRequest<FastifyRequest>();
    const errors = [
      ...(operation?.query === null ? faultsOfNoQuery(query as object) : []),
      ...(operation?.body === null ? faultsOfNoBody(body) : []),
    ];
    if (errors.length > 0) throw new Refused(invalidRequest(errors));
    return true;
  }
}

/** Query and body become the classes that the controller declares for them, or are refused by their rules. */
export class ReadsInput implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (type === 'param') return typeof value === 'string' && isUuid(value) ? value.toLowerCase() : value;
    if (type !== 'query' && type !== 'body') return value;
    const shape = metatype as Shape;
    const parsed = type === 'query' ? parseQuery(shape, value as object) : parseBody(shape, value);
    if (!parsed.ok) throw new Refused(invalidRequest(parsed.errors));
    return parsed.value;
  }
}
