use strict;
use warnings;

my %count;
my @words = map { join "", map { chr(97 + ($_ * 7) % 26) } 1 .. 3 + $_ % 9 } 1 .. 2000;
$count{$_}++ for @words;
for my $word (sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count) {
    printf "%-12s %d\n", $word, $count{$word};
}
my $text = join " ", @words;
(my $changed = $text) =~ s/([aeiou])/<$1>/g;
print length($changed), "\n";
my @rows = map { { id => $_, name => "row $_", tags => [1 .. $_ % 5] } } 1 .. 500;
print scalar(grep { @{$_->{tags}} > 2 } @rows), "\n";
local $| = 1;
print join(",", sort map { sprintf "%x", $_->{id} * 31 } @rows), "\n";
