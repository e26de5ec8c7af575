"""False claims that were written against the rules of proof: title, passage, claims."""

ATTACKS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (
        "Lisk Baths",
        "The baths stand by the river. The pool is free, on Monday, for residents.",
        ("The pool is free for residents.",),
    ),
    (
        "Lisk Baths",
        "The baths stand by the river. Entry to the pool is free, on Monday.",
        ("Entry to the pool is free.",),
    ),
    (
        "Corrie Pass",
        "The road was built in 1930. The road is closed, at Easter, to lorries.",
        ("The road is closed to lorries.",),
    ),
    (
        "Ward rules",
        "The ward has 20 beds. Patients, once awake, can drink water.",
        ("Patients can drink water.",),
    ),
    (
        "Seedlings",
        "Sow in March. Seedlings, once green, can be moved outside.",
        ("Seedlings can be moved outside.",),
    ),
    (
        "Paint",
        "The paint is thick. The paint, once dry, can be sanded.",
        ("The paint can be sanded.",),
    ),
    (
        "Ferries",
        "There are two boats. The ferry to Lisk, weather permitting, leaves at 9:00.",
        ("The ferry to Lisk leaves at 9:00.",),
    ),
    (
        "Ferries",
        "There are two boats. The ferry to Lisk, summer apart, leaves at 9:00.",
        ("The ferry to Lisk leaves at 9:00.",),
    ),
    (
        "Rooms",
        "The house is old. Every room, the kitchen excluded, has a lamp.",
        ("Every room has a lamp.",),
    ),
    (
        "Rooms",
        "The house is old. All rooms, not the attic, have a heater.",
        ("All rooms have a heater.",),
    ),
    (
        "Pass",
        "The pass costs 9 euros. The pass is valid on all buses, not on the night bus.",
        ("The pass is valid on all buses.",),
    ),
    (
        "Hotel Marn",
        "The hotel has a spa. Guests use the sauna free of charge, paying with points.",
        ("Guests use the sauna free of charge.",),
    ),
    ("Museum", "The museum is small. Admission is free, under 12 years.", ("Admission is free.",)),
    ("Parking", "There is a car park. Parking is free, up to two hours.", ("Parking is free.",)),
    ("Museum", "The museum is small. Entry is free, once a month.", ("Entry is free.",)),
    (
        "Pass",
        "The pass is high. The road is passable, mainly in summer.",
        ("The road is passable.",),
    ),
    (
        "Parking",
        "There is a car park. Parking is free, where a green line is painted.",
        ("Parking is free.",),
    ),
    (
        "House",
        "The house has six rooms. All rooms have heating, but the attic does not.",
        ("All rooms have heating.",),
    ),
    (
        "Buses",
        "Lisk has ten buses. Every bus is free, but the night bus costs 3 euros.",
        ("Every bus is free.",),
    ),
    (
        "Bags",
        "Bags are scanned. All bags are opened; the bags of the crew are not.",
        ("All bags are opened.",),
    ),
    (
        "Boats",
        "The harbour is small. Boats leave hourly, as the tide permits.",
        ("Boats leave hourly.",),
    ),
    ("Park", "The park is open. Dogs are allowed (on a lead).", ("Dogs are allowed.",)),
    ("Museum", "The museum is small. Entry is free (children under 6).", ("Entry is free.",)),
    ("Pool", "The pool is small. The pool is open daily (summer).", ("The pool is open daily.",)),
    (
        "Pool",
        "The pool is small. The pool opens daily, the winter aside.",
        ("The pool opens daily.",),
    ),
    (
        "Insurance",
        "The policy is cheap. The insurance covers a bicycle locked to a rack.",
        ("The insurance covers a bicycle.",),
    ),
    (
        "Hotel Marn",
        "The hotel is quiet. The hotel refunds a booking cancelled by noon.",
        ("The hotel refunds a booking.",),
    ),
    (
        "Bank",
        "The bank is old. The bank replaces a card stolen in the post free of charge.",
        (
            "The bank replaces a card free of charge.",
            "The bank replaces a card.",
        ),
    ),
    (
        "Safe",
        "The safe is heavy. A key and a code open the safe.",
        (
            "A key opens the safe.",
            "A code opens the safe.",
        ),
    ),
    (
        "Cleaning",
        "Wear gloves. Bleach and ammonia release a toxic gas.",
        (
            "Bleach releases a toxic gas.",
            "Ammonia releases a toxic gas.",
        ),
    ),
    (
        "Alarm",
        "The alarm is loud. The alarm sounds with the door open and the key in the lock.",
        (
            "The alarm sounds with the door open.",
            "The alarm sounds.",
        ),
    ),
    (
        "Lisk letters",
        "The letters were sold in 1920. The false Karl Renn signed the letter.",
        ("Karl Renn signed the letter.",),
    ),
    (
        "Marn",
        "Marn is a town on the coast. The district of Marn has 80,000 inhabitants.",
        ("Marn has 80,000 inhabitants.",),
    ),
    (
        "Torr fever",
        "Torr fever is a disease of goats. The disease was eradicated in Velm in 1970.",
        (
            "The disease was eradicated in 1970.",
            "Torr fever was eradicated in 1970.",
        ),
    ),
    (
        "Lisk line",
        "The railway opened in 1880. The railway closed between Ard and Bel in 1964.",
        ("The railway closed in 1964.",),
    ),
    (
        "Ada Lind",
        "Ada Lind was a painter. She lost the sight in one eye in 1911.",
        ("Ada Lind lost the sight in 1911.",),
    ),
    (
        "Velm law",
        "The law was passed in 1890. The law barred men with a conviction from voting.",
        ("The law barred men from voting.",),
    ),
    (
        "Velm law",
        "The law was passed in 1890. Slavery was banned in the colony in 1832.",
        ("Slavery was banned in 1832.",),
    ),
    (
        "Lisk School",
        "Lisk School opened in 1900. The school refused pupils from the island.",
        ("The school refused pupils.",),
    ),
    (
        "Lisk Trust",
        "The trust was rich. The trust sold its shares in the brewery in 1990.",
        ("The trust sold its shares in 1990.",),
    ),
    (
        "Dusk Road",
        "Dusk Road is a novel by Ada Lind. The king was murdered in the novel.",
        ("The king was murdered.",),
    ),
    (
        "Orrin drug",
        "The drug is new. The drug killed the bacteria in a test tube.",
        ("The drug killed the bacteria.",),
    ),
    (
        "Velm",
        "Velm is a country. Women voted in the parish elections in 1890.",
        ("Women voted in 1890.",),
    ),
    (
        "Decree",
        "The decree was short. The decree freed prisoners from the north in 1801.",
        ("The decree freed prisoners in 1801.",),
    ),
    (
        "Bridge",
        "The bridge is long. The bridge collapsed in a computer model in 1999.",
        ("The bridge collapsed in 1999.",),
    ),
    ("Torrol", "Torrol is a legal drug in Velm.", ("Torrol is a legal drug.",)),
    ("Arn", "Arn is a king in the novel.", ("Arn is a king.",)),
    ("Ostrel", "Ostrel is a crime in the province of Tol.", ("Ostrel is a crime.",)),
    ("Quist", "Quist is an endangered species in Norway.", ("Quist is an endangered species.",)),
    ("Lorn", "Lorn is a drug for a fever, caused by a virus.", ("Lorn is caused by a virus.",)),
    (
        "Tholl",
        "Tholl is a museum in a mill, built in 1743.",
        (
            "Tholl is built in 1743.",
            "Tholl was built in 1743.",
        ),
    ),
    (
        "Dog",
        "The dog is big. The owner of the dog, which bites, lives in Marn.",
        ("The owner of the dog bites.",),
    ),
    (
        "The Orla",
        "The Orla is a ferry. The Orla carries a lifeboat. It holds 40 people.",
        ("The Orla holds 40 people.",),
    ),
    (
        "Pell Harrow",
        "Pell Harrow is a town in Lisk. Pell Harrow has a stone bridge. It is 90 metres long.",
        ("Pell Harrow is 90 metres long.",),
    ),
    (
        "Ada Lind",
        "Ada Lind was a chemist from Lisk. The element was discovered in 1890.",
        ("Ada Lind discovered the element in 1890.",),
    ),
    (
        "Otto Renn",
        "Otto Renn was a clerk in Lisk. The bank was robbed in 1912.",
        ("Otto Renn robbed the bank in 1912.",),
    ),
    (
        "Lisk Clinic",
        "Lisk Clinic has two wards. The samples are analysed at a partner hospital.",
        ("Lisk Clinic analyses the samples at a partner hospital.",),
    ),
    (
        "Archive manual",
        "The archive is large. Old accounts are deleted by hand.",
        ("The system deletes old accounts by hand.",),
    ),
    (
        "Shop terms",
        "These terms apply to orders. We may cancel the order within 14 days.",
        ("You may cancel the order within 14 days.",),
    ),
    (
        "Lease",
        "This is the lease. We must give three months' notice.",
        ("You must give three months' notice.",),
    ),
    ("Lock", "The lock is new. The lock opens with a card.", ("The lock opens.",)),
    ("Pump", "The pump is new. The pump starts with the valve closed.", ("The pump starts.",)),
    (
        "Lamp",
        "The lamp is new. Turn the key; the lamp lights up.",
        ("Turn the key because the lamp lights up.",),
    ),
    (
        "Bridge",
        "The bridge was iron. The bridge fell, as it was being painted.",
        ("The bridge fell because it was being painted.",),
    ),
    (
        "Hall",
        "The hall is new. The hall has two hundred and fifty seats.",
        (
            "The hall has two hundred seats.",
            "The hall has fifty seats.",
            "The hall has 200 and 50 seats.",
        ),
    ),
    (
        "Pole",
        "The pole is new. The pole is five and a half metres long.",
        (
            "The pole is five metres long.",
            "The pole is half a metre long.",
        ),
    ),
    ("Wire", "The box has a wire. The wire leads to the alarm.", ("The wire causes the alarm.",)),
    ("Velm", "Velm is a country. Velm belongs to the Union.", ("Velm is owned by the Union.",)),
    (
        "Battery",
        "The battery is sealed. The battery arrives without charge.",
        ("The battery arrives free of charge.",),
    ),
    (
        "Watering",
        "The plant is small. Water the plant every second day.",
        ("Water the plant every day.",),
    ),
    (
        "Karl Renn",
        "Karl Renn was a clerk. Karl Renn was responsible for the fire.",
        ("Karl Renn was in charge of the fire.",),
    ),
    ("Cold", "Store it cold. The freezer runs at -18 °C.", ("The freezer runs at 18 °C.",)),
    (
        "Boats",
        "There are six boats. All boats leave the harbour at once.",
        ("All boats leave the harbour immediately.",),
    ),
    (
        "Lisk Ferries",
        "Tickets are sold on board. Bicycles travel free of charge, booked online.",
        ("Bicycles travel free of charge.",),
    ),
    (
        "Tram rules",
        "Trams run every 10 minutes. Dogs ride free, wearing a muzzle.",
        ("Dogs ride free.",),
    ),
    (
        "Guest house",
        "Breakfast starts at 7:00. Guests may bring a dog, paying 10 euros a night.",
        ("Guests may bring a dog.",),
    ),
    (
        "Refunds",
        "Refunds take a week. Fees are refunded, 50% of the price.",
        ("Fees are refunded.",),
    ),
    (
        "Trail",
        "The trail is steep. Camping is allowed, where the ground is marked in yellow.",
        ("Camping is allowed.",),
    ),
    (
        "Cards",
        "The card is blue. All cards are accepted, whereas foreign cards are refused.",
        ("All cards are accepted.",),
    ),
    (
        "Cards",
        "The card is blue. The shop takes every card: foreign cards are refused.",
        ("The shop takes every card.",),
    ),
    (
        "Staff",
        "Staff work shifts. Nobody works on Sunday; the guards do.",
        ("Nobody works on Sunday.",),
    ),
    ("Meals", "Meals are hot. All meals are free — the crew pays half.", ("All meals are free.",)),
    (
        "Repairs",
        "Repairs take a week. Repairs are free of charge, as our warranty permits.",
        ("Repairs are free of charge.",),
    ),
    ("Rental", "Cars are small. Mileage is unlimited (weekends).", ("Mileage is unlimited.",)),
    (
        "Rental",
        "Cars are small. Drivers must be 25 years old (vans).",
        ("Drivers must be 25 years old.",),
    ),
    (
        "Dosage",
        "The tablets are white. Take two tablets daily (adults).",
        ("Take two tablets daily.",),
    ),
    ("Dosage", "The tablets are white. Take two tablets (children: one).", ("Take two tablets.",)),
    (
        "Speed",
        "The limit is new. The speed limit is 80 km/h (rain: 60 km/h).",
        ("The speed limit is 80 km/h.",),
    ),
    (
        "Export",
        "The tool runs on Linux. The tool exports files as PDF (paid plan).",
        ("The tool exports files as PDF.",),
    ),
    (
        "Export",
        "The tool runs on Linux. The export includes every field, the notes apart.",
        ("The export includes every field.",),
    ),
    (
        "Warranty",
        "The pump is steel. The warranty covers all parts, the seals aside.",
        ("The warranty covers all parts.",),
    ),
    (
        "Fridge",
        "The fridge is white. The fridge, once level, can be switched on.",
        ("The fridge can be switched on.",),
    ),
    ("Members", "The club is old. Members, once of age, can vote.", ("Members can vote.",)),
    (
        "Orla Castle",
        "The castle is open. The tour of Orla, snow permitting, starts at noon.",
        ("The tour of Orla starts at noon.",),
    ),
    (
        "Zone",
        "Zone B is small. Parking is permitted, on Sunday, in Zone B.",
        ("Parking is permitted in Zone B.",),
    ),
    (
        "Law",
        "The law is new. Fishing was legal, in the lower river, until 1980.",
        ("Fishing was legal until 1980.",),
    ),
    ("Lake", "The lake is deep. Fishing is legal, at Marn.", ("Fishing is legal.",)),
    (
        "Launch",
        "Two switches are needed. The left switch and the right switch start the motor.",
        ("The left switch starts the motor.",),
    ),
    (
        "Scales",
        "Three weights are given. A stone and a coin balance the scale.",
        ("A stone balances the scale.",),
    ),
    (
        "Border",
        "Bring papers. A visa and a passport admit travellers.",
        ("A visa admits travellers.",),
    ),
    (
        "Lamp",
        "The lamp is small. Red and green light produce yellow.",
        (
            "Red light produces yellow.",
            "Green light produces yellow.",
        ),
    ),
    (
        "Motor",
        "The motor is small. The motor stops with the lid open and the brake on.",
        ("The motor stops with the lid open.",),
    ),
    (
        "Velm",
        "Velm has a long history. The pretender Karl Renn was crowned in Lisk.",
        ("Karl Renn was crowned in Lisk.",),
    ),
    (
        "Ada Lind",
        "Ada Lind was a singer. The wax figure Ada Lind stands in Lisk.",
        ("Ada Lind stands in Lisk.",),
    ),
    (
        "Ada Lind",
        "Ada Lind was a singer. The ship Ada Lind sank in 1940.",
        ("Ada Lind sank in 1940.",),
    ),
    (
        "Arn of Lisk",
        "King Arn of Lisk died in 1420. King Arn of Velm lost the battle in 1430.",
        ("King Arn lost the battle in 1430.",),
    ),
    (
        "Tarn",
        "Tarn is a village. The lake of Tarn is 40 metres deep.",
        ("Tarn is 40 metres deep.",),
    ),
    (
        "The Vell",
        "The Vell is a river in Lisk. The Vell is crossed by a bridge. It was built in 1790.",
        ("The Vell was built in 1790.",),
    ),
    (
        "grebe",
        "grebe is a command. grebe reads a file. It must end in .txt.",
        ("grebe must end in .txt.",),
    ),
    (
        "Ada Lind",
        "Ada Lind was a physicist in Velm. The bomb was built in 1944. She opposed the bomb.",
        ("Ada Lind built the bomb in 1944.",),
    ),
    (
        "Otto Renn",
        "Otto Renn was a minister. The king was murdered in 1801. He fled to Lisk.",
        ("Otto Renn murdered the king in 1801.",),
    ),
    (
        "Orrin Bank",
        "Orrin Bank lends money. Complaints are decided within 14 days.",
        ("Orrin Bank decides complaints within 14 days.",),
    ),
    (
        "Lisk",
        "Lisk is a town. The bridge was destroyed in 1944.",
        ("Lisk destroyed the bridge in 1944.",),
    ),
    (
        "Vault",
        "The vault is safe. Reports are checked twice.",
        ("The software checks reports twice.",),
    ),
    (
        "Terms of Orrin",
        "These are the terms. You may end the contract at any time.",
        ("We may end the contract at any time.",),
    ),
    ("Terms of Orrin", "These are the terms. We pay the postage.", ("You pay the postage.",)),
    (
        "Terms of Orrin",
        "These are the terms. We must return the deposit within a week.",
        (
            "You must return the deposit within a week.",
            "Users must return the deposit within a week.",
        ),
    ),
    (
        "Terms of Orrin",
        "These are the terms. You must insure the parcel.",
        ("Orrin must insure the parcel.",),
    ),
    (
        "Fabric",
        "The fabric is soft. The stain disappears with a solvent.",
        ("The stain disappears.",),
    ),
    ("Door", "The door is steel. The door closes with a key.", ("The door closes.",)),
    ("Tablet", "The tablet is small. The tablet dissolves with heat.", ("The tablet dissolves.",)),
    (
        "Visa",
        "The embassy is open. The officer admits travellers with a visa.",
        (
            "The officer admits travellers.",
            "The officer uses a visa to admit travellers.",
        ),
    ),
    (
        "Bus",
        "The bus is old. The driver refuses passengers with large dogs.",
        ("The driver refuses passengers.",),
    ),
    (
        "School",
        "The school is new. The school rejects applicants with a criminal record.",
        ("The school rejects applicants.",),
    ),
    (
        "School",
        "The school is new. The school rejected applicants with a criminal record.",
        ("The school rejected applicants.",),
    ),
    (
        "School",
        "The school is new. The school expelled students from the north.",
        ("The school expelled students.",),
    ),
    (
        "Army",
        "The army was small. The army rejected recruits under 18 years.",
        ("The army rejected recruits.",),
    ),
    (
        "Crops",
        "The year was dry. The harvest failed: prices rose.",
        ("The harvest failed because prices rose.",),
    ),
    (
        "Alarm",
        "The alarm is loud. Press the button; the door opens.",
        ("Press the button because the door opens.",),
    ),
    (
        "Roof",
        "The roof was tin. The roof collapsed, as they were dining.",
        ("The roof collapsed because they were dining.",),
    ),
    (
        "Strike",
        "The mill closed. The mill closed: the workers left the town.",
        (
            "The mill closed because the workers left the town.",
            "The mill closed, so the workers left the town.",
        ),
    ),
    (
        "Gate",
        "The gate is iron. The gate closes at five to seven.",
        (
            "The gate closes at five.",
            "The gate closes at 5-7.",
        ),
    ),
    (
        "Race",
        "The race is long. The winner took one and a half hours.",
        (
            "The winner took one hour.",
            "The winner took half an hour.",
        ),
    ),
    (
        "Price",
        "The price is low. The ticket costs a hundred and twenty euros.",
        (
            "The ticket costs a hundred euros.",
            "The ticket costs twenty euros.",
            "The ticket costs 100 and 20 euros.",
        ),
    ),
    (
        "Watering",
        "The fern is small. The fern is watered every other day.",
        (
            "The fern is watered every day.",
            "The fern is watered daily.",
        ),
    ),
    (
        "Gauge",
        "The gauge is precise. The gauge reads three tenths of a millimetre.",
        (
            "The gauge reads 3 millimetres.",
            "The gauge reads a tenth of a millimetre.",
        ),
    ),
    (
        "Clock",
        "The clock is old. The clock loses three quarters of a minute per day.",
        (
            "The clock loses a quarter of a minute per day.",
            "The clock loses 3 minutes per day.",
        ),
    ),
    (
        "Clock",
        "The clock is old. The bell rings every quarter hour.",
        (
            "The bell rings every hour.",
            "The bell rings hourly.",
        ),
    ),
    ("Clock", "The clock is old. The bell rings twice an hour.", ("The bell rings every hour.",)),
    (
        "Tank",
        "The tank is steel. The tank holds 5 to 7 litres.",
        (
            "The tank holds 7 litres.",
            "The tank holds up to 7 litres.",
            "The tank holds at least 5 litres.",
        ),
    ),
    (
        "Tank",
        "The tank is steel. The pressure is not more than 5 bar.",
        (
            "The pressure is not 5 bar.",
            "The pressure is 5 bar.",
        ),
    ),
    (
        "Age",
        "The ride is fast. Riders must be at least 12.",
        (
            "Riders must be 12.",
            "Riders must be more than 12.",
        ),
    ),
    ("Age", "The ride is fast. Riders must be over 12.", ("Riders must be at least 12.",)),
    ("Time", "The hall opens at 8. The hall opens at 8 am.", ("The hall opens at 8 pm.",)),
    (
        "Ada Lind",
        "Ada Lind was a runner. She finished the race with a broken foot on the third day.",
        ("Ada Lind finished the race on the third day.",),
    ),
    (
        "Ada Lind",
        "Ada Lind was a runner. She won the race at the third attempt.",
        (
            "Ada Lind won the race at the first attempt.",
            "Ada Lind won the race.",
        ),
    ),
    (
        "Lisk",
        "Lisk is a port. The plague ended in the harbour quarter in 1711.",
        ("The plague ended in 1711.",),
    ),
    (
        "Velm",
        "Velm is a country. The tax was abolished in the northern provinces in 1820.",
        ("The tax was abolished in 1820.",),
    ),
    (
        "Velm",
        "Velm is a country. Private cars were banned from the old town in 1990.",
        (
            "Private cars were banned in 1990.",
            "Private cars were banned.",
        ),
    ),
    (
        "Velm",
        "Velm is a country. The wolf died out on the islands in 1850.",
        ("The wolf died out in 1850.",),
    ),
    (
        "Velm",
        "Velm is a country. The army withdrew from the east bank in 1919.",
        ("The army withdrew in 1919.",),
    ),
    (
        "Velm",
        "Velm is a country. The right to vote was granted to women in the capital in 1901.",
        ("The right to vote was granted to women in 1901.",),
    ),
    ("Play", "The play is long. Duke Orn was stabbed in the play.", ("Duke Orn was stabbed.",)),
    (
        "Trial",
        "The trial was short. Karl Renn was convicted in a mock trial in 1930.",
        ("Karl Renn was convicted in 1930.",),
    ),
    (
        "Trial",
        "The trial was short. The drug cured the infection in mice at the clinic.",
        ("The drug cured the infection.",),
    ),
    (
        "Trial",
        "The drug is new. The drug cured the infection in a mouse in 2019.",
        ("The drug cured the infection in 2019.",),
    ),
    (
        "Ballot",
        "The ballot was secret. The bill passed in the lower house in 1911.",
        ("The bill passed in 1911.",),
    ),
    (
        "Ballot",
        "The vote was close. The party won the election in the district of Tol.",
        ("The party won the election.",),
    ),
    (
        "Firm",
        "The firm is old. The firm stopped production at the Lisk plant in 2004.",
        ("The firm stopped production in 2004.",),
    ),
    (
        "Firm",
        "The firm is old. The firm dismissed workers with a contract from 1990.",
        ("The firm dismissed workers.",),
    ),
    (
        "Firm",
        "The firm is old. The firm sold the rights to the film in Asia.",
        ("The firm sold the rights to the film.",),
    ),
    (
        "Firm",
        "The firm is old. The firm lost its licence to sell alcohol in 2010.",
        (
            "The firm lost its licence in 2010.",
            "The firm lost its licence.",
        ),
    ),
    (
        "Court",
        "The court met in Lisk. The court denied women the right to inherit land.",
        ("The court denied women the right.",),
    ),
    (
        "Court",
        "The court met in Lisk. The judge set the prisoner a task to perform.",
        ("The judge set the prisoner.",),
    ),
    (
        "Engine",
        "The engine was loud. The engine failed before it was mounted.",
        ("The engine failed after it was mounted.",),
    ),
    (
        "Jam",
        "Clean the jar. Dry the jar and then fill it with jam.",
        (
            "Fill the jar with jam and then dry it.",
            "Fill the jar with jam before drying it.",
        ),
    ),
    (
        "Jam",
        "Boil the fruit. Add the sugar. Stir the jam.",
        (
            "Add the sugar and then boil the fruit.",
            "Stir the jam, then add the sugar.",
            "Before boiling the fruit, add the sugar.",
        ),
    ),
    (
        "Pump",
        "Close the valve. Start the pump. Open the lid.",
        (
            "Start the pump and close the valve.",
            "Open the lid and start the pump.",
        ),
    ),
    (
        "Life",
        "Ada Lind was a poet. She moved to Lisk in 1900. She married in 1910.",
        ("Ada Lind married and then moved to Lisk.",),
    ),
    (
        "Pump",
        "The pump is started, and the valve is closed.",
        ("The valve is closed and then the pump is started.",),
    ),
    (
        "Modes",
        "Sleep mode saves power. The screen is off. In work mode the screen is on.",
        ("In work mode the screen is off.",),
    ),
    (
        "Meter",
        "The meter is small. The meter does not stop but slows down.",
        (
            "The meter does not slow down.",
            "The meter stops.",
        ),
    ),
    (
        "Card",
        "The card is blue. No card is needed, but a ticket is.",
        (
            "No ticket is needed.",
            "A card is needed.",
        ),
    ),
    (
        "Card",
        "The card is blue. The door does not open without a card.",
        ("The door does not open.",),
    ),
    (
        "Card",
        "The card is blue. The door does not open because of a fault.",
        ("The door does not open.",),
    ),
    (
        "Card",
        "The card is blue. The lamp is lit not by gas but by oil.",
        ("The lamp is lit by gas.",),
    ),
    (
        "Card",
        "The dish is not washed because it is made of wood. It is oiled.",
        ("The dish is washed because it is made of wood.",),
    ),
    (
        "Card",
        "The door opens only with a card. Guests may only smoke outside.",
        (
            "The door opens with a card.",
            "Guests may smoke.",
        ),
    ),
    (
        "Hut",
        "The hut sleeps ten. Members alone may book the hut.",
        (
            "Members may book the hut.",
            "Guests may book the hut.",
        ),
    ),
    (
        "Hut",
        "The hut sleeps ten. The hut is cleaned at most twice a week.",
        (
            "The hut is cleaned twice a week.",
            "The hut is cleaned at least twice a week.",
        ),
    ),
    ("Mill", "The mill is old. The stairs lead to the fire.", ("The stairs cause the fire.",)),
    (
        "Fern",
        "The fern is small. The fern belongs to the rose family.",
        ("The fern is owned by the rose family.",),
    ),
    (
        "Letters",
        "The mouse is small. Tenants let rooms to students.",
        ("Tenants allow rooms to students.",),
    ),
    ("Loan", "The bank is old. Customers take out loans.", ("Customers remove loans.",)),
    ("Rope", "The rope is new. Turn down the heat.", ("Reject the heat.",)),
    ("Path", "The path is steep. The path goes up in spring.", ("The path increases in spring.",)),
    (
        "Rules",
        "The tenant keeps the deposit. The landlord keeps the key.",
        ("The tenant keeps the key.",),
    ),
    (
        "Storm",
        "The storm hit Lisk. The storm was responsible for the flood.",
        ("The storm was in charge of the flood.",),
    ),
    (
        "Firm",
        "The firm has ten trucks. The first name on the list is Karl.",
        ("The forename on the list is Karl.",),
    ),
    (
        "Duel",
        "Ada Lind beat Ola Renn. The guard warned the thief.",
        (
            "Ola Renn beat Ada Lind.",
            "The thief warned the guard.",
            "The guard was warned by the thief.",
        ),
    ),
    (
        "Loan",
        "The bank lent the town 5,000 euros. The town gave the bank a hall.",
        (
            "The town lent the bank 5,000 euros.",
            "The bank gave the town a hall.",
        ),
    ),
    (
        "Sizes",
        "The Orla is longer than the Vell. The Vell is older than the Marn.",
        (
            "The Vell is longer than the Orla.",
            "The Marn is older than the Vell.",
        ),
    ),
    (
        "Keys",
        "The key to the cellar opens the door. The lid of the box is red.",
        (
            "The key opens the door to the cellar.",
            "The box of the lid is red.",
            "The red box has a lid.",
        ),
    ),
    (
        "Fee",
        "A member pays the club a fee if it is late. The club has a hall.",
        ("A member that is late pays the club a fee.",),
    ),
    (
        "Gate",
        "The guard opens the gate if it is icy. The gate is iron.",
        ("The guard that is icy opens the gate.",),
    ),
    (
        "Mayor",
        "The mayor of Lisk, a town of 900 people, resigned in 1990.",
        ("The mayor of Lisk is a town of 900 people.",),
    ),
    ("Glass", "Glass is hard. Glass heated slowly stays whole.", ("Glass heated stays whole.",)),
    (
        "Bolt",
        "The bolt is new. A bolt tightened slowly and evenly lasts.",
        ("A bolt tightened lasts.",),
    ),
    ("Berrol", "Berrol is a copy of a bell, cast in 1620.", ("Berrol was cast in 1620.",)),
    ("Vost", "Vost is a vaccine against a fever, spread by ticks.", ("Vost is spread by ticks.",)),
    ("Ulm", "Ulm is a 0% loan. Ulm is a suspect in a robbery.", ("Ulm is a suspect.",)),
    ("Vorn", "Vorn is a member for life on the board in Lisk.", ("Vorn is a member in Lisk.",)),
    ("Sarn", "Sarn is a holiday in the canton of Tol.", ("Sarn is a holiday.",)),
    (
        "Ilm",
        "Ilm is an official language in the province of Tol.",
        ("Ilm is an official language.",),
    ),
    ("Kest", "Kest is a stop on request for the night bus.", ("Kest is a stop.",)),
    ("Bel", "Bel is a weapon under the law of Velm.", ("Bel is a weapon.",)),
    (
        "Pets",
        "Two pets are sold. Give the cat to Ada and the dog to Karl.",
        (
            "Give the cat to Karl.",
            "Give the dog to Ada.",
        ),
    ),
    (
        "Hours",
        "The shop is small. The shop opens at 9 on weekdays and at 11 on Sundays.",
        (
            "The shop opens at 9 on Sundays.",
            "The shop opens at 11.",
        ),
    ),
    (
        "Velm",
        "Velm is a country. The governor ruled in the name of the queen in 1700.",
        ("The governor ruled in 1700.",),
    ),
    (
        "Otto Renn",
        "Otto Renn was a farmer. He shot at the wolf in the barn.",
        (
            "Otto Renn shot in the barn.",
            "Otto Renn shot the wolf in the barn.",
        ),
    ),
    (
        "Otto Renn",
        "Otto Renn was a farmer. He ran from the police in 1920.",
        ("Otto Renn ran in 1920.",),
    ),
    (
        "Otto Renn",
        "Otto Renn was an officer. He served under an assumed name in the navy.",
        ("Otto Renn served in the navy.",),
    ),
    (
        "Otto Renn",
        "Otto Renn was an heir. He lived on a pension from 1911.",
        ("Otto Renn lived from 1911.",),
    ),
    (
        "Ada Lind",
        "Ada Lind was a diver. She stopped at a depth of 30 metres.",
        ("Ada Lind stopped.",),
    ),
    (
        "Lisk",
        "Lisk is a port. The strike ended at the docks on 4 May.",
        ("The strike ended on 4 May.",),
    ),
    (
        "Lisk",
        "Lisk is a port. The siege failed at the north gate in 1640.",
        ("The siege failed in 1640.",),
    ),
    ("Lisk", "Lisk is a port. Trade stopped with the island in 1640.", ("Trade stopped in 1640.",)),
    (
        "Lisk",
        "Lisk is a port. Trams were replaced by buses on the east line in 1960.",
        ("Trams were replaced by buses in 1960.",),
    ),
    (
        "Lisk",
        "Lisk is a port. The fee was waived for pupils from Marn in 1960.",
        (
            "The fee was waived in 1960.",
            "The fee was waived for pupils in 1960.",
        ),
    ),
    (
        "Lisk",
        "Lisk is a port. The bank refused loans to buy a house in 1990.",
        (
            "The bank refused loans in 1990.",
            "The bank refused loans.",
        ),
    ),
    (
        "Lisk",
        "Lisk is a port. The council banned attempts to climb the tower.",
        ("The council banned attempts.",),
    ),
    (
        "Lisk",
        "Lisk is a port. The court dropped its order to close the mine.",
        ("The court dropped its order.",),
    ),
    (
        "Lisk",
        "Lisk is a port. The council lacked money to repair the bridge.",
        ("The council lacked money.",),
    ),
    (
        "Lisk",
        "Lisk is a port. The judge gave the firm a year to repay the loan.",
        ("The judge gave the firm a year.",),
    ),
    (
        "Lisk",
        "Lisk is a port. The pilot missed the signal to land.",
        ("The pilot missed the signal.",),
    ),
    (
        "Rules",
        "The hall is new. Use of the hall is free, usually on Monday.",
        ("Use of the hall is free.",),
    ),
    ("Rules", "The hall is new. The hall, open to members, is free.", ("The hall is free.",)),
    (
        "Rules",
        "The hall is new. Smoking is allowed, which the rules limit to the yard.",
        ("Smoking is allowed.",),
    ),
    (
        "Rules",
        "The hall is new. Photos are allowed, for which a permit is required.",
        ("Photos are allowed.",),
    ),
    (
        "Rules",
        "The hall is new. Every guest gets a key, although guests in tents do not.",
        ("Every guest gets a key.",),
    ),
    (
        "Rules",
        "The hall is new. No fee is charged, but guests in tents pay 5 euros.",
        ("No fee is charged.",),
    ),
    (
        "Rules",
        "The hall is new. The bar never closes, but it rests in August.",
        ("The bar never closes.",),
    ),
    (
        "Rules",
        "The hall is new. The bar never closes (August: closed).",
        ("The bar never closes.",),
    ),
    (
        "Battery",
        "The battery is new. The battery lasts ten hours (screen off).",
        ("The battery lasts ten hours.",),
    ),
    (
        "Car",
        "The car is new. The car reaches 180 km/h, driven downhill.",
        ("The car reaches 180 km/h.",),
    ),
    (
        "Mushroom",
        "The mushroom is brown. The mushroom is edible (cooked).",
        ("The mushroom is edible.",),
    ),
    (
        "Lift",
        "The lift is small. The lift carries eight people, standing.",
        ("The lift carries eight people.",),
    ),
    (
        "grebe",
        "grebe is a tool. grebe deletes the file, run with `--force`.",
        ("grebe deletes the file.",),
    ),
    (
        "grebe",
        "grebe is a tool. grebe deletes the file (with `--force`).",
        ("grebe deletes the file.",),
    ),
    ("grebe", "grebe is a tool. The index, once full, is rebuilt.", ("The index is rebuilt.",)),
    ("grebe", "grebe is a tool. The log, once over 5 MB, is deleted.", ("The log is deleted.",)),
    (
        "Rooms",
        "The house is old. Every room, the kitchen apart, has a lamp.",
        ("Every room has a lamp.",),
    ),
    ("Zoo", "The zoo is large. Dogs are welcome, kept on a lead.", ("Dogs are welcome.",)),
    (
        "Trains",
        "Trains run hourly. Children travel free of charge, accompanied by an adult.",
        ("Children travel free of charge.",),
    ),
    (
        "Oven",
        "The oven is hot. The lid stays locked, while the drum turns.",
        ("The lid stays locked.",),
    ),
    (
        "Ferries",
        "There are two boats. The service runs daily but stops in August.",
        ("The service runs daily.",),
    ),
    (
        "Road",
        "The pass is high. The road is closed: snow blocks the pass.",
        ("The road is closed, so snow blocks the pass.",),
    ),
    (
        "Clinic",
        "The clinic is small. Treat children with asthma.",
        ("Use asthma to treat children.",),
    ),
    (
        "Road",
        "The road is old. The road passes over two bridges.",
        ("The road passes more than two bridges.",),
    ),
    ("Water", "The well is deep. The water may be toxic.", ("The water is allowed to be toxic.",)),
    (
        "Storage",
        "The cellar is cool. The cheese keeps for three weeks, wrapped in wax paper.",
        ("The cheese keeps for three weeks.",),
    ),
    (
        "Gas",
        "The gas has no smell. The gas is harmless, diluted in air.",
        ("The gas is harmless.",),
    ),
    (
        "Orla ladder",
        "The ladder is light. The ladder holds 150 kg, leaned against a wall.",
        ("The ladder holds 150 kg.",),
    ),
    (
        "Well",
        "The well is old. The water is drinkable, boiled for five minutes.",
        ("The water is drinkable.",),
    ),
    (
        "Trail",
        "The trail is steep. Fires are allowed, in the stone rings.",
        ("Fires are allowed.",),
    ),
    ("Heater", "The heater is small. The fan runs, while the plate is hot.", ("The fan runs.",)),
    (
        "Cards",
        "The card is blue. All cards are accepted, although the shop refuses foreign cards.",
        ("All cards are accepted.",),
    ),
    (
        "Warranty",
        "The pump is steel. All parts, the seals aside, are covered.",
        ("All parts are covered.",),
    ),
    (
        "Otto Renn",
        "Otto Renn was a baker. His son Karl took over the bakery. Renn closed the bakery in 1950.",
        ("Otto Renn closed the bakery in 1950.",),
    ),
    (
        "Ada Lind",
        "Ada Lind was born in Lisk. Her daughter Ada was a pilot. Ada crossed the ocean in 1932.",
        ("Ada Lind crossed the ocean in 1932.",),
    ),
    (
        "Lisk Abbey",
        "Lisk Abbey is an abbey in Velm. In 1540 the monks moved to Tarn Abbey. The "
        "abbey was burned in 1541.",
        ("Lisk Abbey was burned in 1541.",),
    ),
    (
        "Town",
        "The town is old. The town has changed, since the dam was built.",
        ("The town has changed because the dam was built.",),
    ),
    (
        "Trip",
        "The trip is easy. The loan is repaid over 12 months.",
        ("The loan is repaid more than 12 months.",),
    ),
    (
        "Race",
        "The race is long. The race leads around 12 stones.",
        ("The race leads about 12 stones.",),
    ),
    (
        "Goods",
        "The goods are sent by post. The parcel may arrive late.",
        ("The parcel is allowed to arrive late.",),
    ),
    (
        "Lamp",
        "The lamp is new. The tour guide speaks about 3 paintings.",
        ("The tour guide speaks approximately 3 paintings.",),
    ),
    (
        "Baths",
        "The baths are old. During August, the pool is closed; the sauna is free.",
        ("The sauna is free.",),
    ),
    (
        "Fees",
        "The club has a hall. For members, the hall is free; the bar costs nothing.",
        ("The bar costs nothing.",),
    ),
    (
        "Bus 9",
        "The bus is red. In winter, the road is icy, so the bus stops at Marn.",
        (
            "The bus stops at Marn.",
            "The road is icy.",
        ),
    ),
    (
        "Panel",
        "The panel has two lamps. The red lamp blinks: the tank is empty.",
        ("The tank is empty.",),
    ),
    (
        "Dusk Road",
        "Dusk Road is a novel. In the novel, the king is mad; the queen rules the land.",
        ("The queen rules the land.",),
    ),
    (
        "Fenwick S24",
        "The Fenwick S24 is a server. It replaced the S20 in 2019. The old model was "
        "noisy. The fans ran at 9,000 rpm.",
        ("The fans of the Fenwick S24 ran at 9,000 rpm.",),
    ),
    (
        "Fenwick S24",
        "The Fenwick S24 is a server. The S20 is still sold. The warranty is one year.",
        (
            "The warranty of the Fenwick S24 is one year.",
            "In the Fenwick S24, the warranty is one year.",
        ),
    ),
    ("Sheds", "The key is small. The key is kept by the door.", ("The door keeps the key.",)),
    (
        "Work",
        "The mill had 90 workers. The workers were paid by the hour.",
        ("The hour paid the workers.",),
    ),
    (
        "Form",
        "The form has two pages. The form must be signed by Easter.",
        ("Easter must sign the form.",),
    ),
    (
        "Mushroom",
        "The mushroom is brown. The mushroom is edible, cooked for an hour.",
        ("The mushroom is edible.",),
    ),
    ("Rope", "The rope is thin. The rope holds 200 kg, doubled.", ("The rope holds 200 kg.",)),
    (
        "Dryer",
        "Before cleaning, you must not:\n\n- open the lid\n- wash the drum\n",
        (
            "Open the lid.",
            "Wash the drum.",
            "You must open the lid.",
            "The lid must be opened.",
        ),
    ),
    (
        "Fire safety",
        "Never do the following:\n\n1. Pour water into the burning pan.\n2. Carry the "
        "pan outside.\n",
        (
            "Pour water into the burning pan.",
            "Carry the pan outside.",
            "You must carry the pan outside.",
        ),
    ),
    (
        "Warranty",
        "The warranty does not cover:\n\n- The seals are worn.\n- The pump was opened "
        "by the owner.\n",
        ("The seals are worn.",),
    ),
    (
        "Dam inquiry",
        "The report states that the dam is safe. The engineers disagree.",
        ("The dam is safe.",),
    ),
    (
        "Mayor Renn",
        "According to the article, the mayor took bribes. The court found no proof.",
        ("The mayor took bribes.",),
    ),
    (
        "Trial",
        "The book says that the queen poisoned the king. Historians reject this.",
        (
            "The queen poisoned the king.",
            "The king was poisoned by the queen.",
        ),
    ),
    (
        "Dam",
        '"The dam is safe. It will hold for 100 years," the mayor said.',
        (
            "The dam is safe.",
            "The dam will hold for 100 years.",
        ),
    ),
    ("Dam", 'The mayor said: "The dam is safe." An engineer denied it.', ("The dam is safe.",)),
    (
        "Dam",
        "“The water rose by two metres,” the keeper claimed. “Nobody was warned.”",
        (
            "Nobody was warned.",
            "The water rose by two metres.",
        ),
    ),
    (
        "Bulls",
        "Myth: Bulls hate the colour red. Fact: Bulls cannot see red well.",
        ("Bulls hate the colour red.",),
    ),
    (
        "Setup",
        "Wrong: The cable is plugged in first. Right: The cable is plugged in last.",
        ("The cable is plugged in first.",),
    ),
    (
        "Dosage",
        "For children: take two tablets a day. For adults: take four tablets a day.",
        (
            "Take two tablets a day.",
            "Take four tablets a day.",
        ),
    ),
    (
        "Roads",
        "In winter: the pass road is closed. In summer: the pass road is open.",
        (
            "The pass road is closed.",
            "The pass road is open.",
        ),
    ),
    (
        "Heater",
        "If the lamp is red:\n\n- Turn off the heater.\n- Call the service.\n",
        (
            "Turn off the heater.",
            "Call the service.",
            "You must call the service.",
        ),
    ),
    (
        "Heater",
        "Only for trained staff:\n\n- Open the housing.\n- Replace the fuse.\n",
        (
            "Open the housing.",
            "Replace the fuse.",
        ),
    ),
    (
        "Plans",
        "| Feature | Free | Pro |\n| --- | --- | --- |\n| SSO | no | yes |\n| Seats | 5 | 50 |\n",
        (
            "The SSO free is yes.",
            "The free seats are 50.",
            "Free has 50 seats.",
            "Pro has 5 seats.",
        ),
    ),
    (
        "Pumps",
        "| Pump | Voltage | Weight |\n| --- | --- | --- |\n| A10 | 12 V | 3 kg |\n| "
        "B20 | 24 V | 5 kg |\n",
        (
            "The A10 weighs 5 kg.",
            "The voltage of the A10 is 24 V.",
            "The weight of the B20 is 3 kg.",
            "The B20 voltage is 12 V.",
            "The A10 has a weight of 5 kg.",
        ),
    ),
    (
        "Lisk school",
        "The school was closed in 1990. A new hall was built.",
        ("The school is closed.",),
    ),
    (
        "Old bridge",
        "The bridge was closed to lorries. In 2001 it was rebuilt.",
        ("The bridge is closed to lorries.",),
    ),
    (
        "Station",
        "Smoking was allowed on the platform until 2003.",
        ("Smoking is allowed on the platform until 2003.",),
    ),
    (
        "Orla",
        "The Orla was the largest ship of the fleet. She sank in 1912.",
        ("The Orla is the largest ship of the fleet.",),
    ),
    (
        "Harbour plan",
        "The old crane will be demolished. The quay will be widened.",
        (
            "The old crane was demolished.",
            "The old crane has been demolished.",
            "The quay has been widened.",
        ),
    ),
    (
        "Dam",
        "The dam is being built. It will supply water to Lisk.",
        (
            "The dam is built.",
            "The dam has been built.",
            "The dam supplied water to Lisk.",
            "The dam was built.",
        ),
    ),
    (
        "Ada Lind",
        "Ada Lind was married to Otto Renn. They divorced in 1950.",
        ("Ada Lind is married to Otto Renn.",),
    ),
    (
        "Mill",
        "The mill belonged to the abbey. It was sold in 1803.",
        ("The mill belongs to the abbey.",),
    ),
    ("Lead", "Lead was used in petrol. It is banned now.", ("Lead is used in petrol.",)),
    ("Club", "The club had 400 members. Today it has 90.", ("The club has 400 members.",)),
    (
        "Mushroom basket",
        "The mushrooms in the basket were picked at Lisk. The mushrooms are edible.",
        (
            "Mushrooms are edible.",
            "A mushroom is edible.",
        ),
    ),
    (
        "Rex",
        "Rex is a guard dog. The dog is dangerous.",
        (
            "Dogs are dangerous.",
            "A dog is dangerous.",
        ),
    ),
    (
        "Dose",
        "Take a tablet with water.",
        (
            "Take tablets with water.",
            "Take the tablets with water.",
        ),
    ),
    (
        "Hut",
        "The hut has a window. The hut has a stove.",
        (
            "The hut has windows.",
            "The huts have windows.",
        ),
    ),
    (
        "Recipe",
        "Add an egg to the dough.",
        (
            "Add eggs to the dough.",
            "Add the eggs to the dough.",
        ),
    ),
    (
        "Border",
        "You need a photo and a form.",
        (
            "You need photos and forms.",
            "You need photos and a form.",
        ),
    ),
    ("Bus 9", "These buses are free. Other buses cost 2 euros.", ("Buses are free.",)),
    (
        "Washer",
        "The lid is locked. The drum turns.",
        (
            "The lid is locked while the drum turns.",
            "The lid is locked, so the drum turns.",
            "The lid is locked, because the drum turns.",
            "The lid is locked when the drum turns.",
            "The lid is locked and therefore the drum turns.",
            "The lid is locked, and as a result the drum turns.",
            "The lid is locked, thus the drum turns.",
            "Because the lid is locked, the drum turns.",
            "As the lid is locked, the drum turns.",
        ),
    ),
    (
        "Lisk",
        "The mill closed in 1950. The school opened in 1930.",
        (
            "The mill closed and then the school opened.",
            "The mill closed before the school opened.",
            "The mill closed and the school opened later.",
            "First the mill closed, then the school opened.",
        ),
    ),
    (
        "Panel",
        "The lamp is green. The door is open.",
        (
            "The lamp is green: the door is open.",
            "The lamp is green if the door is open.",
            "The door is open while the lamp is green.",
        ),
    ),
    (
        "Shop",
        "The shop is open on Sunday. The water is hot.",
        (
            "The shop is still open on Sunday.",
            "The shop is already open on Sunday.",
            "The water is too hot.",
            "The shop is now open on Sunday.",
            "Only the shop is open on Sunday.",
            "The shop is only open on Sunday.",
            "The shop is open even on Sunday.",
            "The shop is always open on Sunday.",
        ),
    ),
    (
        "Mill",
        "The mill was a school. The tower was a prison.",
        (
            "The mill is now a school.",
            "The tower is still a prison.",
        ),
    ),
    ("Hall", "Dogs are allowed, not in the hall.", ("Dogs are allowed.",)),
    ("Drug", "Take the capsule, not with milk.", ("Take the capsule.",)),
    ("Plant", "Water the plant, not too much.", ("Water the plant.",)),
    ("Bus", "The ticket is valid, not on the night bus.", ("The ticket is valid.",)),
    ("Club", "Guests may use the pool, not the sauna.", ("Guests may use the sauna.",)),
    ("Swim", "Children may swim, not without an adult.", ("Children may swim.",)),
    (
        "Safe",
        "The safe opens with a key and a code.",
        (
            "The safe opens with a key.",
            "The safe opens with a code.",
        ),
    ),
    (
        "Therapy",
        "The infection is treated with rifampicin and isoniazid.",
        (
            "The infection is treated with rifampicin.",
            "Isoniazid is used to treat the infection.",
        ),
    ),
    ("Glue", "The glue hardens with water and air.", ("The glue hardens with water.",)),
    (
        "Visa",
        "You get a visa for a passport and a fee of 30 euros.",
        ("You get a visa for a passport.",),
    ),
    (
        "Bill",
        "The bill was passed by the senate and the house.",
        ("The bill was passed by the senate.",),
    ),
    (
        "Loan",
        "The loan is granted by two directors and the chairman.",
        ("The loan is granted by the chairman.",),
    ),
)
