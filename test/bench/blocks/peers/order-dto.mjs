// The order as a class of class-validator, with the decorators applied by hand: the twin of the zod schema of our Step.
import 'reflect-metadata';
import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsIn, IsInt, IsString, Length, Max, Min, MinLength, ValidateNested } from 'class-validator';

class CustomerDto {}
rules(CustomerDto, { id: [IsString(), MinLength(1)], name: [IsString()], age: [IsInt(), Min(0), Max(150)] });

export class OrderDto {}
rules(OrderDto, {
  title: [IsString(), Length(1, 200)], description: [IsString()], priority: [IsIn(['low', 'normal', 'high'])],
  customer: [ValidateNested(), Type(() => CustomerDto)], tags: [IsArray(), ArrayMaxSize(20), IsString({ each: true })],
});

function rules(target, members) {
  for (const [name, decorators] of Object.entries(members)) for (const decorator of decorators) decorator(target.prototype, name);
}
