"""One turn of a round: commands, bullets, moves, walls, rams, inactivity, scans, deaths.

Functions are written for one battle and are elementwise, in the precision of the robots. A turn is a chain of them;
what one hands to the next is computed apart (`jaxgp.arrays.apart`), or each number at its end would compute the whole
chain again.

Source: the rules of Robocode 1.9.3.9, as its recorded battles show them.
"""
